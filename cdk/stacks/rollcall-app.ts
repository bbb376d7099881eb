import { App, type AppProps, Validations } from 'aws-cdk-lib';
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
  return new RollcallStack(app, stackName, { configuration, kept });
};
