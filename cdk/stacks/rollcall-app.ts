import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { type Configuration, parseConfiguration } from '../../shared/config/configuration.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/config/settings.ts';
import type { KeptState } from '../kept-state.ts';
import { RollcallStack } from './rollcall-stack.ts';

/** Context of CDK itself has separators in its names, such as `@aws-cdk/…`, `aws:…` and `cli-telemetry`. */
const isSetting = ([name]: readonly [string, unknown]): boolean => /^[A-Za-z0-9]+$/.test(name);

const settingsOf = (app: App) => {
  const context: Readonly<Record<string, unknown>> = app.node.getAllContext();
  return Object.fromEntries(Object.entries(context).filter(isSetting));
};

/** What the context asks for. */
export interface Wanted {
  readonly app: App;
  readonly configuration: Configuration;
  readonly stackName: string;
}

/** Reads the context of a new app. Throws an `InvalidSettingsError` that names the settings at fault. */
export const readContext = (props?: AppProps): Wanted => {
  const app = new App(props);
  const configuration = parseConfiguration(settingsOf(app));
  const { clusterId } = configuration;
  const stackName = clusterId === DEFAULT_CLUSTER_ID ? 'Rollcall' : `Rollcall-${clusterId}`;
  return { app, configuration, stackName };
};

/** Adds the stack, which uses what an earlier one kept, if that is given. */
export const addStack = ({ app, configuration, stackName }: Wanted, kept?: KeptState): RollcallStack => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return new RollcallStack(app, stackName, { configuration, kept });
};
