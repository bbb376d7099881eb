import { Duration, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Monitoring } from './monitoring.ts';

export interface WorkQueueProps {
  /** Behind the stack's name it is the name of the queue. */
  readonly name: string;
  /** Of the function that works the queue off. */
  readonly functionTimeout: Duration;
}

export interface ConsumeOptions {
  readonly batchSize: number;
  /** Execution environments that work side by side, 2 or more. */
  readonly maxConcurrency: number;
  readonly enabled: boolean;
}

/** After so many deliveries a message is put aside. */
const MAX_RECEIVE_COUNT = 5;
const RETENTION = Duration.days(14);
/** AWS's advice for queues that feed a function: room for retries of a throttled batch. */
const VISIBILITY_FACTOR = 6;

/** A standard queue of wake-ups with its dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, functionTimeout }: WorkQueueProps) {
    super(scope, id);
    const queueName = `${Stack.of(this).stackName}-${name}`;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `${queueName}-dead-letters`,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    });
    this.queue = new Queue(this, 'Queue', {
      queueName,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * functionTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
  }

  get url(): string {
    return this.queue.queueUrl;
  }

  /** The event source of the function that works the queue off; failed messages come back one by one. */
  source(options: ConsumeOptions): SqsEventSource {
    return new SqsEventSource(this.queue, { ...options, reportBatchItemFailures: true });
  }

  /** For the dashboard: what waits, for how long, and what was put aside. */
  get metrics(): readonly IMetric[] {
    return [
      this.queue.metricApproximateNumberOfMessagesVisible(),
      this.queue.metricApproximateAgeOfOldestMessage(),
      this.deadLetters.metricApproximateNumberOfMessagesVisible(),
    ];
  }

  /** An alarm on the first message that was put aside. `section` is its heading's anchor in the runbook. */
  watch(monitoring: Monitoring, section: string): void {
    monitoring.alarm(section, {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
      threshold: 1,
      says: 'Messages failed five times and were put aside.',
    });
  }
}
