import { Duration } from 'aws-cdk-lib';
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { HeartbeatEnv } from '../../lambdas/heartbeat/env.ts';
import { apiServerEnvironment } from '../../shared/settings/aws/env.ts';
import { capacityUnits } from '../../shared/settings/aws/heartbeat-capacity.ts';
import { functionCode } from '../bundling/function-code.ts';
import { ControlPlaneFunction } from '../constructs/control-plane-function.ts';
import type { ControlPlaneProps } from '../constructs/control-plane-props.ts';
import { HeartbeatCapacity } from '../constructs/heartbeat-capacity.ts';
import type { Partitions } from '../constructs/state-tables.ts';

export interface HeartbeatProps extends ControlPlaneProps {
  /** Base URL of the API. */
  readonly apiUrl: string;
}

/** A request makes one write of about 5 ms. The rest allows for retries when DynamoDB is slow. */
const TIMEOUT = Duration.seconds(6);

/** Of objects it reads Nodes only, and of changes it announces those of Leases. */
const BEATS: Partitions = { objects: ['nodes#*'], changes: ['leases#*'], control: ['counter#leases'] };

/**
 * The function for Lease renewals and heartbeats. It has its own URL and concurrency, so that reads and watches cannot
 * starve it.
 */
export class Heartbeat extends Construct {
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, props: HeartbeatProps) {
    super(scope, id);
    const { configuration, tables, apiUrl, monitoring } = props;
    const fn = new ControlPlaneFunction(this, 'Function', {
      name: 'heartbeat',
      code: functionCode('heartbeat'),
      env: HeartbeatEnv,
      environment: {
        ...tables.environment,
        ...apiServerEnvironment(configuration),
        API_URL: apiUrl,
      },
      timeout: TIMEOUT,
      reservedConcurrency: configuration.heartbeatReservedConcurrency,
      configuration,
    });

    tables.grantKeys(fn.function, BEATS, 'beat', 'noteLease', 'readHeartbeat', 'readObject');
    tables.grantKeys(fn.function, { control: ['key-use#*'] }, 'recordKeyUse');
    tables.grantKeys(fn.function, { control: ['public-keys'] }, 'readPublicKeys');
    tables.grant(fn.function, 'readRelays', 'writeRelays');

    this.url = fn.addUrl();

    monitoring.addUrlAlarms(fn);
    const { heartbeatCapacity } = configuration;
    if (heartbeatCapacity)
      new HeartbeatCapacity(this, 'Capacity', {
        tableName: tables.environment.HEARTBEATS_TABLE,
        capacity: capacityUnits(heartbeatCapacity),
        monitoring,
      });
    monitoring.addRow(fn, [fn.function.metric('ConcurrentExecutions', { statistic: 'Maximum' })]);
  }
}
