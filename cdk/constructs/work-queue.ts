import { Duration, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';
import type { MessageStop } from './message-path.ts';

export interface WorkQueueProps {
  /** The queue is named `<stack>-<name>`. */
  readonly name: string;
  /** Time-out of the function that consumes the queue. */
  readonly functionTimeout: Duration;
}

export interface ConsumeOptions {
  readonly batchSize: number;
  /** How many execution environments consume the queue concurrently, 2 or more. */
  readonly maxConcurrency: number;
  readonly enabled: boolean;
}

/** After this many deliveries SQS moves a message to the dead-letter queue. */
const MAX_RECEIVE_COUNT = 5;
const RETENTION = Duration.days(14);
/** Visibility time-out as a multiple of the function's time-out, as AWS recommends: room to retry a throttled batch. */
const VISIBILITY_FACTOR = 6;

/** The queue `<stack>-<name>-dead-letters`. Add an alarm on it. */
export const deadLetterQueue = (scope: Construct, name: string): Queue =>
  new Queue(scope, 'DeadLetters', {
    queueName: `${Stack.of(scope).stackName}-${name}-dead-letters`,
    enforceSSL: true,
    retentionPeriod: RETENTION,
  });

/** A standard queue with its dead-letter queue. */
export class WorkQueue extends Construct implements MessageStop {
  readonly next = new Set<MessageStop>();
  readonly name: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, functionTimeout }: WorkQueueProps) {
    super(scope, id);
    this.name = name;
    this.deadLetters = deadLetterQueue(this, name);
    this.queue = new Queue(this, 'Queue', {
      queueName: `${Stack.of(this).stackName}-${name}`,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * functionTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
  }

  get url(): string {
    return this.queue.queueUrl;
  }

  /** Lets a function send messages to this queue. */
  letSend(fn: ControlPlaneFunction<EnvSchema>): void {
    this.queue.grantSendMessages(fn.function);
    fn.next.add(this);
  }

  /** Makes a function the receiver of the messages. Failed messages are retried individually. */
  deliverTo(fn: ControlPlaneFunction<EnvSchema>, options: ConsumeOptions): void {
    fn.function.addEventSource(new SqsEventSource(this.queue, { ...options, reportBatchItemFailures: true }));
    this.next.add(fn);
  }

  /** For the dashboard: the waiting messages, the age of the oldest, and the dead letters. */
  get metrics(): readonly IMetric[] {
    return [
      this.queue.metricApproximateNumberOfMessagesVisible(),
      this.queue.metricApproximateAgeOfOldestMessage(),
      this.deadLetters.metricApproximateNumberOfMessagesVisible(),
    ];
  }
}
