import {
  afterProbe,
  INITIAL_RUNTIME_STATE,
  networkErrors,
  type RuntimeCondition,
  type RuntimeState,
  runtimeErrors,
} from '../../../agent/rules/node/runtime-state.ts';
import { type NodeHealth, nodeConditions } from '../../../agent/rules/node-status/conditions.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { type Replays, replay } from '../replay.ts';

interface ConditionsRow {
  readonly node: Node;
  readonly now: string;
  readonly memoryPressure: boolean;
  readonly diskPressure: boolean;
  readonly pidPressure: boolean;
  readonly runtimeError: string;
  readonly networkError: string;
  readonly storageError: string;
  readonly shutdownError: string;
  readonly softRequirements: string;
  readonly localStorageCapacityIsolation: boolean;
}

interface Round {
  readonly advanceMs: number;
  readonly conditions?: readonly RuntimeCondition[];
  readonly plegError?: string;
}

const listOf = (text: string): readonly string[] => (text === '' ? [] : [text]);

const CALM = { MemoryPressure: false, DiskPressure: false, PIDPressure: false };
const CAPACITY = { cpu: '1', memory: '1', pods: '1', 'ephemeral-storage': '1' };

const readyOf = (conditions: readonly Condition[]): readonly unknown[] =>
  conditions
    .filter(({ type }) => type === 'Ready')
    .flatMap(({ status, reason, message }) => [status, reason, message]);

const readyAfter = (state: RuntimeState, { plegError }: Round, now: number): readonly unknown[] => {
  const checks = [{ name: 'PLEG', ...(plegError !== undefined && { error: plegError }) }];
  const health: NodeHealth = {
    pressures: CALM,
    runtimeErrors: runtimeErrors(state, checks, now),
    networkErrors: networkErrors(state),
    storageErrors: [],
    shutdownErrors: [],
    localStorageCapacityIsolation: true,
  };
  const { conditions } = nodeConditions({ capacity: CAPACITY }, health, { nodeName: 'n1', now });
  return readyOf(conditions);
};

export const TABLES: Replays = {
  'node-conditions': replay((row: ConditionsRow) => {
    const health: NodeHealth = {
      pressures: {
        MemoryPressure: row.memoryPressure,
        DiskPressure: row.diskPressure,
        PIDPressure: row.pidPressure,
      },
      runtimeErrors: listOf(row.runtimeError),
      networkErrors: listOf(row.networkError),
      storageErrors: listOf(row.storageError),
      shutdownErrors: listOf(row.shutdownError),
      softRequirements: row.softRequirements,
      localStorageCapacityIsolation: row.localStorageCapacityIsolation,
    };
    const { conditions, events } = nodeConditions(row.node.status, health, {
      nodeName: row.node.metadata.name,
      now: Date.parse(row.now),
    });
    return { conditions, events: events.map(({ type, reason }) => [type, reason]) };
  }),
  'node-runtime-state': replay(({ rounds }: { readonly rounds: readonly Round[] }) => {
    let state = INITIAL_RUNTIME_STATE;
    let now = 0;
    return rounds.map((round) => {
      now += round.advanceMs;
      state = afterProbe(state, round.conditions, now);
      return readyAfter(state, round, now);
    });
  }),
};
