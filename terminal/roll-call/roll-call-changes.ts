/** The roll call as log lines: one for each node, pod and zone that changed since the last reading, with the reason. */
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import type { RollCall, WorkLine } from '../../shared/rules/roll-call/roll-call.ts';
import { heldPods } from '../../shared/rules/roll-call/situation.ts';
import { ageText } from '../../shared/rules/roll-call/units.ts';
import type { ZoneLine } from '../../shared/rules/roll-call/zone-lines.ts';
import { podsText, workText } from './roll-call-table.ts';
import { zoneText } from './zone-texts.ts';

const NEW = { ready: '-' as const, taints: [], pods: 0, leaving: [], evictions: [] };

const beatText = ({ beatAt }: NodeLine, now: number): string =>
  beatAt === undefined ? 'no beat yet' : `last beat ${ageText(now - beatAt)} ago`;

const readyChange = (was: NodeLine, is: NodeLine, now: number): readonly string[] =>
  was.ready === is.ready ? [] : [`Ready ${was.ready} -> ${is.ready}, ${beatText(is, now)}`];

const changesOf = (before: NodeLine | undefined, after: NodeLine, now: number): readonly string[] => {
  const was = before ?? { ...after, ...NEW };
  return [
    ...readyChange(was, after, now),
    ...after.taints.filter((taint) => !was.taints.includes(taint)).map((taint) => `+${taint}`),
    ...was.taints.filter((taint) => !after.taints.includes(taint)).map((taint) => `-${taint}`),
    ...(podsText(was) === podsText(after) ? [] : [`pods ${podsText(was)} -> ${podsText(after)}`]),
  ];
};

/** Pods that started to terminate since the last reading, with the reason if it was known before. */
const departures = (before: NodeLine | undefined, after: NodeLine): readonly string[] => {
  const reasons = new Map(before?.evictions.map(({ name, reason }) => [name, reason]));
  return after.leaving
    .filter((name) => before !== undefined && !before.leaving.includes(name))
    .map((name) => {
      const reason = reasons.get(name) ?? 'it was deleted';
      return `pod ${name} leaves ${after.name}: ${reason}`;
    });
};

const zoneChange = (before: ZoneLine | undefined, after: ZoneLine): readonly string[] =>
  before !== undefined && zoneText(before) === zoneText(after) ? [] : [zoneText(after)];

const workChange = (before: WorkLine | undefined, after: WorkLine): readonly string[] =>
  before !== undefined && workText(before) === workText(after) ? [] : [workText(after)];

const idOf = ({ kind, namespace, name }: WorkLine): string => `${kind} ${namespace}/${name}`;

const workChanges = (before: RollCall | undefined, after: RollCall): readonly string[] => {
  const work = new Map(before?.work.map((one) => [idOf(one), one]));
  const waited = new Set(before?.waitingPods.map(({ name }) => name));
  const held = new Set(before && heldPods(before));
  return [
    ...after.work.flatMap((one) => workChange(work.get(idOf(one)), one)),
    ...after.waitingPods
      .filter(({ name }) => !waited.has(name))
      .map(({ name, reason }) => `pod ${name} waits for a node: ${reason}`),
    ...heldPods(after).filter((line) => !held.has(line)),
  ];
};

/** One line for each node, pod, zone and workload that changed between two readings. */
export const describeChanges = (before: RollCall | undefined, after: RollCall): readonly string[] => {
  const nodes = new Map(before?.nodes.map((node) => [node.name, node]));
  const zones = new Map(before?.zones.map((zone) => [zone.name, zone]));
  const there = new Set(after.nodes.map(({ name }) => name));
  return [
    ...after.nodes.flatMap((node) => {
      const was = nodes.get(node.name);
      const changes = changesOf(was, node, after.now);
      return [
        ...(changes.length === 0 ? [] : [`node ${node.name} (zone ${node.zone}): ${changes.join(', ')}`]),
        ...departures(was, node),
      ];
    }),
    ...[...nodes.keys()].filter((name) => !there.has(name)).map((name) => `node ${name}: gone`),
    ...after.zones.flatMap((zone) => zoneChange(zones.get(zone.name), zone)),
    ...workChanges(before, after),
  ];
};
