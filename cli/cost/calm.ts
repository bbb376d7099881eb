/** How many passes of the node monitor run in a month, by the rule that leaves them out. */
import { calmUntil } from '../../shared/rules/nodes/calm.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import type { Fleet } from './fleet.ts';
import { BATCH_INTERVAL_SECONDS, MONTH_SECONDS, PASS } from './measured.ts';

const GRACE_MS = DEFAULTS.nodeLifecycle.nodeMonitorGracePeriodMs;
/** As the rule has it: when a relay is silent. */
const RELAY_SILENT_MS = GRACE_MS / 2;

/** Ticks of a month; each is an invocation, whether a pass follows or not. */
export const TICKS_A_MONTH = MONTH_SECONDS / PASS.everySeconds;

/** Until when (ms) no pass is needed after one at 0, if the oldest beat, and the oldest batch, is as old as it can be. */
const quietMs = ({ intervalSeconds, isRelayed }: Pick<Fleet, 'intervalSeconds' | 'isRelayed'>): number =>
  calmUntil(
    {
      now: 0,
      counterSince: Number.NEGATIVE_INFINITY,
      isComplete: true,
      isInTime: true,
      dependsOnTime: false,
      zones: [],
      nodes: [
        {
          row: { noExecute: [] },
          ready: 'True',
          noExecute: { action: 'none' },
          patienceEndsAt: GRACE_MS - intervalSeconds * 1_000,
        },
      ],
      relaysSilentAt: isRelayed ? [RELAY_SILENT_MS - BATCH_INTERVAL_SECONDS * 1_000] : [],
    },
    { nodeMonitorGracePeriodMs: GRACE_MS },
  );

/** Of how many ticks one begins a pass: of each, if the fleet is busy. */
export const ticksOfPass = (fleet: Pick<Fleet, 'intervalSeconds' | 'isRelayed' | 'isBusy'>): number =>
  fleet.isBusy ? 1 : 1 + Math.floor(quietMs(fleet) / (PASS.everySeconds * 1_000));
