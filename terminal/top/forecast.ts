/** When late nodes become Unknown, as the control plane says, in the lines of `rollcall top`. */
import type { Forecast, LateNode } from '../../dashboard/server/live/forecasts.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Monitoring } from '../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import { isLate } from '../../shared/rules/roll-call/node-marks.ts';

/** The nodes that are late at `now` (ms). */
export const lateNodes = (
  nodes: readonly NodeLine[],
  now: EpochMs,
  config: Monitoring,
): readonly LateNode[] =>
  nodes.flatMap((line) =>
    line.beatAt !== undefined && isLate(line, now, config) ? [{ node: line.name, beatAt: line.beatAt }] : [],
  );

/** The lines with what is known of them. A node whose zone paces has no instant of its own. */
export const withForecasts = (
  nodes: readonly NodeLine[],
  unknowns: readonly Forecast[],
): readonly NodeLine[] => {
  if (unknowns.length === 0) return nodes;
  const known = new Map(unknowns.map((one) => [one.node, one]));
  return nodes.map((line) => {
    const said = known.get(line.name);
    if (!said || said.beatAt !== line.beatAt) return line;
    return { ...line, unknownAt: said.at ?? Number.POSITIVE_INFINITY };
  });
};
