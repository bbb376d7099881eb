/** What users and machines do in a run, step by step. */

import type { HoldClass } from '../../shared/kube/types/hold.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Action, Scenario } from './scenario.ts';
import { ScenarioError } from './yaml-fields.ts';

/** What a user, or a machine that comes or goes, does at `at`. */
export type PlannedAction =
  | { readonly at: EpochMs; readonly kind: 'rollout'; readonly workload: string }
  | { readonly at: EpochMs; readonly kind: 'delete'; readonly workload: string }
  | { readonly at: EpochMs; readonly kind: 'deleteNamespace'; readonly namespace: string }
  | {
      readonly at: EpochMs;
      readonly kind: 'budget';
      readonly budgetOf: string;
      readonly maxUnavailable: number;
    }
  | {
      readonly at: EpochMs;
      readonly kind: 'drain';
      readonly node: string;
      readonly timeoutMs?: number;
    }
  | {
      readonly at: EpochMs;
      readonly kind: 'maintain';
      readonly zone: string;
      readonly atOnce: number;
      readonly forMs: number;
    }
  | {
      readonly at: EpochMs;
      readonly kind: 'hold';
      readonly name: string;
      readonly zones?: readonly string[];
      readonly stops?: readonly HoldClass[];
    }
  | { readonly at: EpochMs; readonly kind: 'resume'; readonly name: string }
  | {
      readonly at: EpochMs;
      readonly kind: 'join' | 'leave' | 'outOfService' | 'terminate' | 'stop' | 'interrupt' | 'endPods';
      readonly node: string;
    }
  | {
      readonly at: EpochMs;
      readonly kind: 'shutDown';
      readonly node: string;
      /** How long the phase takes, and each one after it, ms. */
      readonly phasesMs: readonly number[];
      /** Of how many it is one. */
      readonly phases: number;
      readonly totalMs: number;
    };

/** The time between the warning and the end of a Spot instance. */
const SPOT_WARNING_MS = 120_000;

/** The names of the zones. */
export const zonesOf = ({ fleet: { zones } }: Scenario): readonly string[] =>
  typeof zones === 'number' ? Array.from({ length: zones }, (_, index) => `z${index + 1}`) : zones;

/** A step for each phase; the pods have ended with the last one. */
const shutdownOf = (node: string, at: EpochMs, phases: readonly number[]): readonly PlannedAction[] => {
  const before = (index: number): number => phases.slice(0, index).reduce((sum, one) => sum + one, 0);
  const totalMs = before(phases.length);
  return [
    ...phases.map(
      (_, index): PlannedAction => ({
        at: at + before(index),
        kind: 'shutDown',
        node,
        phasesMs: phases.slice(index),
        phases: phases.length,
        totalMs,
      }),
    ),
    { at: at + totalMs, kind: 'endPods', node },
  ];
};

const holdOf = (
  { name, zones, stops, for: forMs }: Extract<Action, { kind: 'hold' }>,
  at: EpochMs,
): readonly PlannedAction[] => [
  { at, kind: 'hold', name, ...optional('zones', zones), ...optional('stops', stops) },
  ...(forMs === undefined ? [] : [{ at: at + forMs, kind: 'resume', name } as const]),
];

const checkKnown = (what: string, name: string, known: readonly string[]): void => {
  if (!known.includes(name))
    throw new ScenarioError(`actions: there is no ${what} ${name}; there are ${known.join(', ') || 'none'}`);
};

/** The steps of an action of a run that starts at `startAt` (ms). Throws a `ScenarioError` if it names what is not there. */
export const actionsOf = (
  action: Action,
  scenario: Scenario,
  nodes: readonly string[],
  startAt: EpochMs,
): readonly PlannedAction[] => {
  const at = startAt + action.at;
  switch (action.kind) {
    case 'join':
      return []; // Their names are known to `joiningMachines`.
    case 'leave':
    case 'outOfService':
    case 'terminate':
    case 'stop':
      for (const node of action.nodes) checkKnown('node', node, nodes);
      return action.nodes.map((node) => ({ at, kind: action.kind, node }));
    case 'interrupt':
      for (const node of action.nodes) checkKnown('node', node, nodes);
      return action.nodes.flatMap((node): readonly PlannedAction[] => [
        { at, kind: 'interrupt', node },
        { at: at + SPOT_WARNING_MS, kind: 'terminate', node },
      ]);
    case 'shutDown':
      for (const node of action.nodes) checkKnown('node', node, nodes);
      return action.nodes.flatMap((node) => shutdownOf(node, at, action.phases));
    case 'deleteNamespace':
      checkKnown(
        'namespace',
        action.namespace,
        scenario.workloads.map(({ namespace }) => namespace),
      );
      return [{ at, kind: 'deleteNamespace', namespace: action.namespace }];
    case 'drain':
      for (const node of action.nodes) checkKnown('node', node, nodes);
      return action.nodes.map((node) => ({
        at,
        kind: 'drain',
        node,
        ...optional('timeoutMs', action.timeout),
      }));
    case 'maintain':
      checkKnown('zone', action.zone, zonesOf(scenario));
      return [{ at, kind: 'maintain', zone: action.zone, atOnce: action.atOnce, forMs: action.for }];
    case 'hold':
      for (const zone of action.zones ?? []) checkKnown('zone', zone, zonesOf(scenario));
      return holdOf(action, at);
    case 'resume':
      return [{ at, kind: 'resume', name: action.name }];
    case 'budget':
      checkKnown(
        'workload',
        action.workload,
        scenario.workloads.map(({ name }) => name),
      );
      return [{ at, kind: 'budget', budgetOf: action.workload, maxUnavailable: action.maxUnavailable }];
    case 'rollout':
    case 'delete':
      checkKnown(
        'workload',
        action.workload,
        scenario.workloads.map(({ name }) => name),
      );
      return [{ at, kind: action.kind, workload: action.workload }];
  }
};
