import { Duration } from 'aws-cdk-lib';
import { type FunctionUrl, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ApiserverEnv } from '../../lambdas/apiserver/env.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import {
  apiServerEnvironment,
  nodeIpamEnvironment,
  nodeLifecycleEnvironment,
} from '../../shared/settings/aws/env.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import { functionCode } from '../bundling/function-code.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { type RunningGroups, runsIn } from '../constructs/running-groups.ts';
import { grantValue, type SigningKey } from '../constructs/signing-key.ts';
import type { Partitions } from '../constructs/state-tables.ts';

export interface ApiserverProps extends ControlPlaneProps {
  readonly signingKey: SigningKey['secret'];
  /** Of the controllers that run. */
  readonly groups: RunningGroups;
}

/** Room for the longest watch and its initial state; if buffered, for the longest poll and its answer. */
const STREAM_TIMEOUT = Duration.seconds(330);
const POLL_TIMEOUT = Duration.seconds(60);
/** The alarm's threshold: concurrently busy environments, on average over an hour. */
const BUSY_ENVIRONMENTS = 20;

/** Only what differs from the default: a variable more would deploy each function anew. */
const serviceEnvironment = ({ serviceRanges }: Configuration): Readonly<Record<string, string>> =>
  serviceRanges === DEFAULTS.serviceRanges ? {} : { SERVICE_CLUSTER_IP_RANGE: serviceRanges.join(',') };

/** What requests read, of objects and of what the monitor knows. */
const READS = [
  'readObject',
  'listObjects',
  'podsByNode',
  'unboundPods',
  'readClaims',
  'readKeyUses',
  'readHeartbeat',
  'readRelays',
  'scanHeartbeats',
  'readZones',
  'readPass',
  'readDeadlines',
  'readSightings',
  'readHolds',
] as const;
/** What they write. */
const WRITES = [
  'followLog',
  'writeNode',
  'keepClaims',
  'watchSlots',
  'recordKeyUse',
  'publishKeys',
  'writeHolds',
  'forgetSightings',
  'beat',
  'writeRelays',
] as const;
/** Of `control` they write what objects, claims, addresses, watches and tokens need. The memory of the monitor, deadlines and events are none of theirs. */
const WRITTEN: Partitions = {
  control: [
    'counter#*',
    'floor#*',
    'owner#*',
    'claims#*',
    'sums#*',
    'cidr',
    'cidr#*',
    'cidr-waiting',
    'sighting#*',
    'watch#*',
    'token#*',
    'key-use#*',
    'public-keys',
    'holds',
  ],
};

/** The function that serves the Kubernetes API, and its URL. */
export class Apiserver extends Construct {
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, props: ApiserverProps) {
    super(scope, id);
    const { configuration, tables, signingKey, monitoring, groups } = props;
    const streams = configuration.apiserverInvokeMode === 'stream';
    const fn = new ControlPlaneFunction(this, 'Function', {
      name: 'apiserver',
      code: functionCode('apiserver'),
      env: ApiserverEnv,
      environment: {
        ...tables.environment,
        SIGNING_KEY_SECRET_ARN: signingKey.secretArn,
        ...apiServerEnvironment(configuration),
        ...nodeIpamEnvironment(configuration, runsIn(groups, 'node-ipam')),
        ...nodeLifecycleEnvironment(configuration.nodeLifecycle),
        SCHEDULER_NAME: configuration.schedulerName,
        ...serviceEnvironment(configuration),
        DISABLE_FORCE_DETACH_ON_TIMEOUT: configuration.disableForceDetachOnTimeout ? 'on' : 'off',
        CONDITION_TAINTS: runsIn(groups, 'node-monitor') ? 'on' : 'off',
        RESPONSE_STREAM: streams ? 'on' : 'off',
      },
      timeout: streams ? STREAM_TIMEOUT : POLL_TIMEOUT,
      memorySize: configuration.apiserverMemoryMb,
      reservedConcurrency: configuration.apiserverReservedConcurrency,
      configuration,
    });

    tables.grant(fn.function, ...READS);
    tables.grantKeys(fn.function, WRITTEN, ...WRITES);
    grantValue(signingKey, fn.function);

    this.url = fn.addUrl(streams ? InvokeMode.RESPONSE_STREAM : InvokeMode.BUFFERED);

    const isFull = configuration.profile === 'full';
    monitoring.addUrlAlarms(fn, { throttling: isFull });
    const busy = fn.function.metric('ConcurrentExecutions', {
      statistic: 'Average',
      period: Duration.hours(1),
    });
    if (isFull)
      monitoring.addAlarm('apiserver-busy', {
        metric: busy,
        threshold: BUSY_ENVIRONMENTS,
        description:
          'Many execution environments of the API are busy all the time, and each is billed; watches are the likely cause.',
      });
    monitoring.addRow(fn, [busy]);
  }
}
