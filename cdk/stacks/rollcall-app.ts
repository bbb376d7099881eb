import { App, type AppProps, cx_api, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { type Configuration, parseConfiguration } from '../../shared/settings/aws/configuration.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/settings/settings.ts';
import type { KeptState } from '../constructs/kept-state.ts';
import { RollcallStack } from './rollcall-stack.ts';

/**
 * Whether a context key is a setting. CDK's own keys have separators, such as `@aws-cdk/…`, `aws:…` and
 * `cli-telemetry`.
 */
const isSetting = ([name]: readonly [string, unknown]): boolean => /^[A-Za-z0-9]+$/.test(name);

const settingsOf = (app: App) => {
  const context: Readonly<Record<string, unknown>> = app.node.getAllContext();
  return Object.fromEntries(Object.entries(context).filter(isSetting));
};

/** The app and the configuration that its context defines. */
export interface Wanted {
  readonly app: App;
  readonly configuration: Configuration;
  readonly stackName: string;
}

/** Creates the app and reads its context. Throws an `InvalidSettingsError` that names the invalid settings. */
export const readContext = (props?: AppProps): Wanted => {
  const app = new App(props);
  const configuration = parseConfiguration(settingsOf(app));
  const { clusterId } = configuration;
  const stackName = clusterId === DEFAULT_CLUSTER_ID ? 'Rollcall' : `Rollcall-${clusterId}`;
  return { app, configuration, stackName };
};

/** Adds the stack. It reuses the tables and the key in `kept`, if given. */
export const addStack = ({ app, configuration, stackName }: Wanted, kept?: KeptState): RollcallStack => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  // A stack that is destroyed takes the addresses with it that machines have.
  const terminationProtection = configuration.removalPolicy === 'retain';
  return new RollcallStack(app, stackName, { configuration, kept, terminationProtection });
};

type Environment = Readonly<Record<string, string | undefined>>;

/** What CDK's command line sets if it finds credentials, or a region, and what an operator can do if it has not. */
const WANTED = [
  {
    name: 'CDK_DEFAULT_ACCOUNT',
    missing: 'no AWS credentials that are valid',
    remedy: 'log in (`aws sso login`), set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  },
  { name: 'CDK_DEFAULT_REGION', missing: 'no AWS region', remedy: 'set AWS_REGION' },
] as const;

/** What a deploy would lack, to be said before the bundling, which takes seconds. Nothing is refused: a synthesis needs no account. */
export const missingAccess = (environment: Environment): readonly string[] =>
  WANTED.flatMap(({ name, missing, remedy }) =>
    environment[name] === undefined
      ? [`This shell has ${missing}: a deploy will fail. To mend it, ${remedy}.`]
      : [],
  );

/** Whether the command line bundles the code of functions: it does not for `cdk destroy` and `cdk list`. */
export const bundles = (app: App): boolean => {
  const stacks: unknown = app.node.tryGetContext(cx_api.BUNDLING_STACKS);
  return !Array.isArray(stacks) || stacks.length > 0;
};
