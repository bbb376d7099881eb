/** What the machines of a fleet use in a month. */
import { optional } from '../../shared/kube/values/optional.ts';
import { capacityUnits, TARGET_PERCENT } from '../../shared/settings/aws/heartbeat-capacity.ts';
import type { Fleet } from './fleet.ts';
import { AGENT, BATCH, BATCH_INTERVAL_SECONDS, BEAT, FUNCTION_GB, MONTH_SECONDS } from './measured.ts';
import { multiplied, summed, type Usage } from './usage.ts';

/** What one request takes. */
interface Call {
  readonly seconds: number;
  readonly writes: number;
  readonly reads: number;
}

/** What a request of a function of 256 MB uses. */
export const callUsage = ({ seconds, writes, reads }: Call): Usage => ({
  lambdaRequests: 1,
  lambdaGbSeconds: FUNCTION_GB * seconds,
  writes,
  reads,
});

type Beating = Pick<Fleet, 'nodes' | 'intervalSeconds' | 'isRelayed' | 'isProvisioned'>;

/** Requests of heartbeats a second: beats, or batches of relays. */
export const requestsPerSecond = ({ nodes, intervalSeconds, isRelayed }: Beating): number =>
  isRelayed ? Math.ceil(nodes / BATCH.nodes) / BATCH_INTERVAL_SECONDS : nodes / intervalSeconds;

/** Units that auto scaling provisions for so many requests a second, in place of writes that are paid for one by one. */
const provisioned = (requestsASecond: number, { nodes, intervalSeconds }: Beating): Usage => {
  const hours = MONTH_SECONDS / 3_600;
  const { reads } = capacityUnits({ nodes, intervalSeconds });
  return { writeHours: (requestsASecond / (TARGET_PERCENT / 100)) * hours, readHours: reads * hours };
};

const onDemand = (fleet: Beating): Usage => {
  const requests = requestsPerSecond(fleet) * MONTH_SECONDS;
  if (!fleet.isRelayed) return multiplied(callUsage(BEAT), requests);
  const memberReads = (fleet.nodes * BATCH.memberReads * MONTH_SECONDS) / BATCH.memberSeconds;
  return summed([multiplied(callUsage(BATCH), requests), { reads: memberReads }]);
};

/** The heartbeats. */
export const beatsUsage = (fleet: Beating): Usage => {
  const { writes, ...used } = onDemand(fleet);
  return fleet.isProvisioned
    ? summed([used, provisioned(requestsPerSecond(fleet), fleet)])
    : { ...used, ...optional('writes', writes) };
};

/** The answers to the heartbeats. */
export const egressUsage = (fleet: Beating): { readonly egressGb: number } => ({
  egressGb: (requestsPerSecond(fleet) * MONTH_SECONDS * BEAT.answerBytes) / 1e9,
});

/** What agents ask for besides. */
export const agentsUsage = (nodes: number): Usage =>
  multiplied(
    summed([
      multiplied(callUsage(AGENT.look), AGENT.looksAnHour),
      multiplied(callUsage(BEAT), AGENT.reportsAnHour),
    ]),
    (nodes * MONTH_SECONDS) / 3_600,
  );
