import { type Duration, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  type Code,
  type FunctionUrl,
  FunctionUrlAuthType,
  InvokeMode,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { acknowledge } from './acknowledge.ts';
import { isOnCycle, type MessageStop } from './message-path.ts';

/** The type of a schema of variables. With it, a stack that forgets a variable does not compile. */
export interface EnvSchema {
  readonly _zod: { readonly input: unknown };
}

export interface ControlPlaneFunctionProps<Env extends EnvSchema> {
  /** Its folder under `lambdas/`, or its group of controllers. */
  readonly name: string;
  readonly code: Code;
  /** The schema of the variables that `environment` must have. */
  readonly env: Env;
  readonly environment: Env['_zod']['input'] & Readonly<Record<string, string>>;
  readonly timeout: Duration;
  /** Memory in MB; `MEMORY_SIZE` if absent. */
  readonly memorySize?: number;
  /** Most environments that run at the same time; if absent, only the account's limit applies. */
  readonly reservedConcurrency?: number | undefined;
  readonly configuration: Configuration;
}

/** Default memory in MB, which comes with a seventh of a vCPU. */
const MEMORY_SIZE = 256;

/** One function of the control plane: bundle, role, log group, and the settings that all functions share. */
export class ControlPlaneFunction<Env extends EnvSchema> extends Construct implements MessageStop {
  /** The queues that it may send to. */
  readonly next = new Set<MessageStop>();
  readonly function: LambdaFunction;
  readonly name: string;

  constructor(scope: Construct, id: string, props: ControlPlaneFunctionProps<Env>) {
    super(scope, id);
    this.name = props.name;
    const { configuration } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: configuration.logRetentionDays,
      // The logs may still be needed after the stack was deleted.
      removalPolicy: configuration.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // A custom role, because the managed policy may write to every log group.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const isTraced = configuration.tracing === 'active';
    if (isTraced)
      acknowledge(
        role,
        'AwsSolutions-IAM5[Resource::*]',
        'The actions of X-Ray do not support resource-level permissions',
      );
    this.function = new LambdaFunction(this, 'Function', {
      description: `Rollcall: ${props.name}`,
      code: props.code,
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
      // The START, END and REPORT lines of each heartbeat would cost more than the function.
      systemLogLevelV2: SystemLogLevel.WARN,
      // Disabled, the template has neither a tracing configuration nor rights for X-Ray.
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(props.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    this.#allowLoops();
  }

  /**
   * Lambda ends a chain of about 16 invocations that send each other messages, unless the function says that it means it. Only the
   * synthesis, after all grants, knows who does. Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html.
   */
  #allowLoops(): void {
    const resource = this.function.node.defaultChild as CfnFunction;
    resource.recursiveLoop = Lazy.string({
      produce: () => (isOnCycle(this) ? RecursiveLoop.ALLOW : undefined),
    });
  }

  /** Adds a URL without IAM authentication: callers send tokens of the cluster, which the function verifies first. */
  addUrl(invokeMode = InvokeMode.BUFFERED): FunctionUrl {
    return this.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode });
  }

  #common({ name, configuration }: ControlPlaneFunctionProps<Env>): Record<string, string> {
    return {
      NODE_OPTIONS: '--enable-source-maps',
      POWERTOOLS_SERVICE_NAME: name,
      // Separates the metrics of two clusters in one account.
      POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
      ...(configuration.zoneMetrics === 'on' ? { ZONE_METRICS: 'on' } : {}),
      ...(configuration.release === undefined ? {} : { RELEASE: configuration.release }),
    };
  }
}
