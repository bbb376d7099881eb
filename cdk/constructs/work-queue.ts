import { Duration, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { ControlPlaneFunction, EnvSchema } from './control-plane-function.ts';
import type { MessageStop } from './message-path.ts';

export interface WorkQueueProps {
  /** The queue is named `<stack>-<name>`. */
  readonly name: string;
  /** Seconds: time-out of the function that consumes the queue. */
  readonly timeoutSeconds: number;
  /** Gets the messages that failed too often. */
  readonly deadLetters: IQueue;
  /** The names of the controllers' queues that it serves. */
  readonly serves: readonly string[];
}

export interface ConsumeOptions {
  readonly batchSize: number;
  /** How many execution environments consume the queue concurrently, 2 or more. */
  readonly maxConcurrency: number;
}

/** After this many deliveries SQS moves a message to the dead-letter queue. */
const MAX_RECEIVE_COUNT = 5;
const RETENTION = Duration.days(14);
/** Visibility time-out as a multiple of the function's time-out, as AWS recommends: room to retry a throttled batch. */
const VISIBILITY_FACTOR = 6;

/** The queue `<stack>-dead-letters`. SQS remembers where each message comes from, so one is enough. */
export const deadLetterQueue = (scope: Construct): Queue => {
  const queue = new Queue(scope, 'DeadLetters', {
    queueName: `${Stack.of(scope).stackName}-dead-letters`,
    enforceSSL: true,
    retentionPeriod: RETENTION,
  });
  acknowledge(queue, 'AwsSolutions-SQS3', 'It is the dead-letter queue of the others, and of schedules');
  return queue;
};

/** A standard queue. */
export class WorkQueue extends Construct implements MessageStop {
  readonly next = new Set<MessageStop>();
  readonly name: string;
  readonly serves: readonly string[];
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { name, timeoutSeconds, deadLetters, serves }: WorkQueueProps) {
    super(scope, id);
    this.name = name;
    this.serves = serves;
    this.queue = new Queue(this, 'Queue', {
      queueName: `${Stack.of(this).stackName}-${name}`,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * timeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
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

  /** For the dashboard: the waiting messages, and the age of the oldest. */
  get metrics(): readonly IMetric[] {
    return [
      this.queue.metricApproximateNumberOfMessagesVisible(),
      this.queue.metricApproximateAgeOfOldestMessage(),
    ];
  }
}
