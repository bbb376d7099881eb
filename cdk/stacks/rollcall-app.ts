import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { parseConfiguration } from '../../shared/config/configuration.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/config/settings.ts';
import { RollcallStack } from './rollcall-stack.ts';

/** Context of CDK itself has separators in its names, such as `@aws-cdk/…`, `aws:…` and `cli-telemetry`. */
const isSetting = ([name]: readonly [string, unknown]): boolean => /^[A-Za-z0-9]+$/.test(name);

const settingsOf = (app: App) => {
  const context: Readonly<Record<string, unknown>> = app.node.getAllContext();
  return Object.fromEntries(Object.entries(context).filter(isSetting));
};

/** The app with the stack that its context asks for. Throws when a setting is invalid, naming it. */
export const rollcallApp = (props?: AppProps): { readonly app: App; readonly stack: RollcallStack } => {
  const app = new App(props);
  const configuration = parseConfiguration(settingsOf(app));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const { clusterId } = configuration;
  const id = clusterId === DEFAULT_CLUSTER_ID ? 'Rollcall' : `Rollcall-${clusterId}`;
  return { app, stack: new RollcallStack(app, id, { configuration }) };
};
