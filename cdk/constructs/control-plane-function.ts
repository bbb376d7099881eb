import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type FunctionUrl,
  FunctionUrlAuthType,
  InvokeMode,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Configuration } from '../../shared/config/configuration.ts';
import { functionCode } from '../bundling/function-code.ts';
import { acknowledge } from './acknowledge.ts';

/** A schema of `lambdas/<x>/env.ts`, as far as the compiler needs it: a missing variable does not compile. */
export interface EnvSchema {
  readonly _zod: { readonly input: unknown };
}

export interface ControlPlaneFunctionProps<Env extends EnvSchema> {
  /** Folder under `lambdas/`. */
  readonly folder: string;
  /** Of `lambdas/<folder>/env.ts`: it says which variables `environment` must have. */
  readonly env: Env;
  readonly environment: Env['_zod']['input'] & Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** MB. */
  readonly memorySize?: number;
  readonly reservedConcurrency?: number | undefined;
  readonly configuration: Configuration;
}

/** Default memory, MB: a seventh of a processor. */
const MEMORY_SIZE = 256;

/** One function of the control plane: what all of them have in common. */
export class ControlPlaneFunction<Env extends EnvSchema> extends Construct {
  readonly function: LambdaFunction;
  readonly folder: string;

  constructor(scope: Construct, id: string, props: ControlPlaneFunctionProps<Env>) {
    super(scope, id);
    this.folder = props.folder;
    const { configuration } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: configuration.logRetentionDays,
      // Whoever deletes a stack may still have to say what it did.
      removalPolicy: configuration.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // A role of its own instead of the managed policy, which may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    acknowledge(
      role,
      'AwsSolutions-IAM5[Resource::*]',
      'X-Ray takes segments of any function: its actions know no resources',
    );
    this.function = new LambdaFunction(this, 'Function', {
      description: `Rollcall: lambdas/${props.folder}`,
      code: functionCode(props.folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memorySize ?? MEMORY_SIZE,
      timeout: props.timeout,
      environment: { ...props.environment, ...this.#common(props) },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // START, END and REPORT of each heartbeat would cost more than the function.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
  }

  /** An address without IAM: callers bring tokens of the cluster, which the function checks before anything else. */
  addUrl(invokeMode = InvokeMode.BUFFERED): FunctionUrl {
    return this.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode });
  }

  #common({ folder, configuration }: ControlPlaneFunctionProps<Env>): Record<string, string> {
    return {
      NODE_OPTIONS: '--enable-source-maps',
      POWERTOOLS_SERVICE_NAME: folder,
      // Two clusters in one account must not add up.
      POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
      ...(configuration.release === undefined ? {} : { RELEASE: configuration.release }),
    };
  }
}
