/** The file `memory_manager_state`. Source: kubernetes v1.34 memorymanager/state `checkpoint.go`, `state_checkpoint.go`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import {
  byName,
  CORRUPTED,
  checksumOf,
  dumpedMap,
  dumpedStruct,
  isObject,
  parsedCheckpoint,
} from '../topology/checksum.ts';
import type { MachineMemory, MemoryBlock, MemoryState, MemoryTable, NodeMemory } from './memory-state.ts';

export const MEMORY_CHECKPOINT = 'memory_manager_state';

const numbers = (list: readonly number[]): string => `[${list.join(' ')}]`;

const dumpedTable = (table: MemoryTable): string => {
  const { total, systemReserved, allocatable, reserved, free } = table;
  const fields = { TotalMemSize: total, SystemReserved: systemReserved, Allocatable: allocatable };
  const all = Object.entries({ ...fields, Reserved: reserved, Free: free });
  return `<*>${dumpedStruct(all.map(([name, bytes]) => [name, 'uint64', String(bytes)]))}`;
};

const dumpedNode = ({ numberOfAssignments, memoryMap, cells }: NodeMemory): string => {
  const tables = byName(memoryMap).map(([type, table]) => [type, dumpedTable(table)] as const);
  return `<*>${dumpedStruct([
    ['NumberOfAssignments', 'int', String(numberOfAssignments)],
    ['MemoryMap', 'map[v1.ResourceName]*state.MemoryTable', dumpedMap(tables)],
    ['Cells', '[]int', numbers(cells)],
  ])}`;
};

const dumpedBlock = ({ numaAffinity, type, size }: MemoryBlock): string =>
  dumpedStruct([
    ['NUMAAffinity', '[]int', numbers(numaAffinity)],
    ['Type', 'v1.ResourceName', type],
    ['Size', 'uint64', String(size)],
  ]);

const checksum = (policyName: string, { machineState, entries }: MemoryState): number => {
  const nodes = Object.entries(machineState)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([id, node]: [string, NodeMemory]) => [id, dumpedNode(node)] as const);
  const pods = byName(entries).map(([uid, containers]) => {
    const blocks = byName(containers).map(
      ([name, list]) => [name, `[${list.map(dumpedBlock).join(' ')}]`] as const,
    );
    return [uid, dumpedMap(blocks)] as const;
  });
  const dumped = dumpedStruct([
    ['PolicyName', 'string', policyName],
    ['MachineState', 'state.NUMANodeMap', dumpedMap(nodes)],
    ['Entries', 'state.ContainerMemoryAssignments', dumpedMap(pods)],
    ['Checksum', 'checksum.Checksum', '0'],
  ]);
  return checksumOf('state.MemoryManagerCheckpoint', dumped);
};

export const memoryCheckpointText = (policyName: string, state: MemoryState): string => {
  const { machineState, entries } = state;
  return JSON.stringify({
    policyName,
    machineState,
    ...(Object.keys(entries).length > 0 && { entries }),
    checksum: checksum(policyName, state),
  });
};

interface Fault {
  readonly error: string;
}

const isTable = (value: unknown): value is MemoryTable =>
  isObject(value) &&
  ['total', 'systemReserved', 'allocatable', 'reserved', 'free'].every(
    (name) => typeof value[name] === 'number',
  );

const isNode = (value: unknown): value is NodeMemory =>
  isObject(value) &&
  typeof value['numberOfAssignments'] === 'number' &&
  Array.isArray(value['cells']) &&
  isObject(value['memoryMap']) &&
  Object.values(value['memoryMap']).every(isTable);

const isMachine = (value: unknown): value is MachineMemory =>
  isObject(value) && Object.values(value).every(isNode);

const isBlock = (value: unknown): value is MemoryBlock =>
  isObject(value) &&
  Array.isArray(value['numaAffinity']) &&
  typeof value['type'] === 'string' &&
  typeof value['size'] === 'number';

const isEntries = (value: unknown): value is MemoryState['entries'] =>
  isObject(value) &&
  Object.values(value).every(
    (containers) =>
      isObject(containers) &&
      Object.values(containers).every((blocks) => Array.isArray(blocks) && blocks.every(isBlock)),
  );

/** The state that a file keeps for this policy, or why it does not count. */
export const readMemoryCheckpoint = (text: string, policyName: string): MemoryState | Fault => {
  const parsed = parsedCheckpoint(text);
  if ('error' in parsed) return parsed;
  const { policyName: keptPolicy, machineState = {}, entries = {}, checksum: sum } = parsed.kept;
  if (typeof keptPolicy !== 'string' || !isMachine(machineState) || !isEntries(entries))
    return { error: CORRUPTED };
  const state: MemoryState = { machineState, entries };
  if (sum !== checksum(keptPolicy, state)) return { error: CORRUPTED };
  return keptPolicy === policyName
    ? state
    : {
        error: `[memorymanager] configured policy ${quote(policyName)} differs from state checkpoint policy ${quote(keptPolicy)}`,
      };
};
