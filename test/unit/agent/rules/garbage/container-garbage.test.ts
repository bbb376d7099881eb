import { describe, expect, it } from 'vitest';
import type { RuntimeContainer } from '../../../../../agent/rules/containers/runtime-status.ts';
import {
  CONTAINER_POLICY,
  type ContainerPolicy,
  deadContainers,
} from '../../../../../agent/rules/garbage/container-garbage.ts';

const NOW = 1000;

/** `name@createdAt`; one that runs ends with `+`. */
const containerOf = (text: string): RuntimeContainer => {
  const [, name = '', createdAt, runs] = /^(\w+)@(\d+)(\+?)$/.exec(text) ?? [];
  return {
    id: text,
    name,
    createdAt: Number(createdAt),
    restartCount: Number(createdAt),
    image: 'i',
    imageId: 'i',
    state: runs === '+' ? 'running' : 'exited',
  };
};

describe('J-179: which ended containers go', () => {
  it.each<[string, Partial<ContainerPolicy>, readonly (readonly string[])[], readonly string[]]>([
    ['the newest stays', {}, [['c@1', 'c@3', 'c@2']], ['c@2', 'c@1']],
    ['what runs does not count', {}, [['c@1', 'c@2', 'c@3+']], ['c@1']],
    ['each name by itself', {}, [['a@1', 'b@2', 'a@3']], ['a@1']],
    ['each pod by itself', {}, [['c@1'], ['c@2']], []],
    ['as many as told', { mostPerContainer: 2 }, [['c@1', 'c@2', 'c@3']], ['c@1']],
    ['none is kept', { mostPerContainer: 0 }, [['c@1', 'c@2+']], ['c@1']],
    ['any number', { mostPerContainer: -1 }, [['c@1', 'c@2', 'c@3']], []],
    ['not before its time', { minAgeMs: 998 }, [['c@1', 'c@2', 'c@3', 'c@4']], ['c@1']],
    ['few enough on the machine', { most: 2 }, [['a@1'], ['b@2']], []],
    ['the oldest of all if there are too many', { most: 2 }, [['a@1'], ['b@2'], ['c@3']], ['a@1']],
    [
      'first each name keeps as many as any other',
      { mostPerContainer: -1, most: 4 },
      [
        ['a@1', 'a@2', 'a@3'],
        ['b@4', 'b@5'],
      ],
      ['a@1'],
    ],
    ['none on the machine', { most: 0 }, [['a@1'], ['b@2+', 'b@1']], ['a@1', 'b@1']],
  ])('%s', (_name, policy, pods, expected) => {
    const all = pods.map((pod) => pod.map(containerOf));
    expect(deadContainers(all, { ...CONTAINER_POLICY, ...policy }, NOW)).toEqual(expected);
  });
});
