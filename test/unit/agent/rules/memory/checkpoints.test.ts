/** The texts were written by the code of a kubelet 1.34.4. */
import { describe, expect, test } from 'vitest';
import { cpuCheckpointText, readCpuCheckpoint } from '../../../../../agent/rules/cpus/cpu-checkpoint.ts';
import {
  memoryCheckpointText,
  readMemoryCheckpoint,
} from '../../../../../agent/rules/memory/memory-checkpoint.ts';
import type { MemoryState } from '../../../../../agent/rules/memory/memory-state.ts';

const CPUS =
  '{"policyName":"static","defaultCpuSet":"0,4","entries":{"u1":{"c":"5"},"u2":{"a":"1-2","b":"3"}},"checksum":2034436307}';
const CPU_STATE = { shared: [0, 4], assignments: { u2: { b: [3], a: [1, 2] }, u1: { c: [5] } } };

describe('the file cpu_manager_state', () => {
  test('is written as a kubelet writes it', () => {
    expect(cpuCheckpointText('static', CPU_STATE)).toBe(CPUS);
    expect(cpuCheckpointText('static', { shared: [0, 4], assignments: {} })).toBe(
      '{"policyName":"static","defaultCpuSet":"0,4","checksum":395959792}',
    );
    expect(cpuCheckpointText('none', { shared: [], assignments: {} })).toBe(
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    );
  });

  test.each([
    ['as it was written', CPUS, CPU_STATE],
    [
      'a checksum of 0, as files of old have it',
      '{"policyName":"static","defaultCpuSet":"0","checksum":0}',
      { shared: [0], assignments: {} },
    ],
    ['an empty file', '', { error: 'unexpected end of JSON input' }],
    ['another set than was written', CPUS.replace('"5"', '"6"'), { error: 'checkpoint is corrupted' }],
    ['no object', '[]', { error: 'checkpoint is corrupted' }],
    [
      'another policy',
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
      { error: 'configured policy "static" differs from state checkpoint policy "none"' },
    ],
    [
      'a set that is none',
      '{"policyName":"static","defaultCpuSet":"x","checksum":0}',
      { error: 'could not parse default cpu set "x": strconv.Atoi: parsing "x": invalid syntax' },
    ],
    [
      'a set of a container that is none',
      '{"policyName":"static","defaultCpuSet":"0","entries":{"u":{"c":"1-"}},"checksum":0}',
      {
        error:
          'could not parse cpuset "1-" for container "c" in pod "u": strconv.Atoi: parsing "": invalid syntax',
      },
    ],
  ])('is read: %s', (_, text, expected) => {
    expect(readCpuCheckpoint(text, 'static')).toEqual(expected);
  });
});

const MEMORY =
  '{"policyName":"Static","machineState":{"0":{"numberOfAssignments":2,"memoryMap":{"hugepages-1Gi":{"total":5,"systemReserved":0,"allocatable":5,"reserved":0,"free":5},"memory":{"total":1000,"systemReserved":10,"allocatable":990,"reserved":90,"free":900}},"cells":[0,1]},"1":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":1,"systemReserved":2,"allocatable":3,"reserved":4,"free":5}},"cells":[]}},"entries":{"u1":{"c":[{"numaAffinity":[0,1],"type":"memory","size":90},{"numaAffinity":[0],"type":"hugepages-1Gi","size":0}]}},"checksum":CHECKSUM}';

const parsed = JSON.parse(MEMORY.replace('CHECKSUM', '0')) as MemoryState;
const MEMORY_STATE: MemoryState = { machineState: parsed.machineState, entries: parsed.entries };

describe('the file memory_manager_state', () => {
  test('is written as a kubelet writes it', () => {
    expect(memoryCheckpointText('Static', MEMORY_STATE)).toBe(MEMORY.replace('CHECKSUM', '1083061019'));
    expect(memoryCheckpointText('None', { machineState: {}, entries: {} })).toBe(
      '{"policyName":"None","machineState":{},"checksum":4236770233}',
    );
  });

  test.each([
    ['as it was written', MEMORY.replace('CHECKSUM', '1083061019'), MEMORY_STATE],
    ['a wrong checksum', MEMORY.replace('CHECKSUM', '1'), { error: 'checkpoint is corrupted' }],
    [
      'a node that is none',
      '{"policyName":"Static","machineState":{"0":{}}}',
      { error: 'checkpoint is corrupted' },
    ],
    [
      'another policy',
      '{"policyName":"None","machineState":{},"checksum":4236770233}',
      { error: '[memorymanager] configured policy "Static" differs from state checkpoint policy "None"' },
    ],
  ])('is read: %s', (_, text, expected) => {
    expect(readMemoryCheckpoint(text, 'Static')).toEqual(expected);
  });
});
