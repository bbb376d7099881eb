import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupEntry } from '../../cdk/bundling/function-code.ts';
import { CONTROLLERS } from '../../lambdas/controllers.ts';
import { GROUP_NAMES, GROUPS, groupOf } from '../../lambdas/groups.ts';
import { EC2_LIMITS, LIMITS, type RequestLimits } from '../../shared/adapters/system/aws-requests.ts';
import { OLDEST_WRITER_MS } from '../../shared/store/holds/close-logs.ts';
import { functionsByName, synth, WITH_CLOUD, WITH_SINK } from './assembly.ts';

/** The files that make clients, with their limits: a unit test compares both. */
const CLIENTS: Readonly<Record<string, RequestLimits>> = {
  'shared/adapters/dynamodb/table/client.ts': LIMITS,
  'shared/adapters/sqs/client.ts': LIMITS,
  'shared/adapters/eventbridge/client.ts': LIMITS,
  'shared/adapters/secrets/client.ts': LIMITS,
  'shared/adapters/ec2/lifecycle.ts': LIMITS,
  'shared/adapters/ec2/ec2-client.ts': EC2_LIMITS,
  'shared/adapters/ec2/ebs.ts': { ...EC2_LIMITS, attempts: 1 },
};
/** Clocks differ, and floor samples have a minute each. */
const MINUTE_MS = 60_000;
/** What the SDK waits between the attempts of a request that nobody answered, at most: 100 and 200 ms. */
const PAUSES_MS = 300;

const importsOf = (file: string): readonly string[] => {
  const text = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type [^;]*;/gm, '');
  const found = [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)];
  return found.map(([, path = '']) => join(dirname(file), path));
};

/** What the function begins with. */
const entriesOf = (name: string): readonly string[] => {
  const group = GROUP_NAMES.find((one) => one === name);
  if (!group) return [`lambdas/${name}/handler.ts`];
  const controllers = CONTROLLERS.filter((one) => groupOf(one.name) === group);
  const entry = groupEntry(group, controllers);
  return [...entry.matchAll(/from '\.\/([^']+)'/g)].map(([, path = '']) => path);
};

/** The files that a function may load, at once or later. */
const filesOf = (name: string): ReadonlySet<string> => {
  const files = new Set(entriesOf(name));
  for (const file of files) for (const next of importsOf(file)) files.add(next);
  return files;
};

const clientsOf = (folder: string): readonly string[] => {
  const files = filesOf(folder);
  return Object.keys(CLIENTS).filter((client) => files.has(client));
};

const longestMs = (folder: string): number =>
  Math.max(
    ...clientsOf(folder).map((client) => {
      const { attempts, requestMs } = CLIENTS[client] ?? LIMITS;
      return attempts * requestMs + PAUSES_MS;
    }),
  );

describe('a request to AWS', () => {
  const functions = functionsByName(synth({ ...WITH_SINK, ...WITH_CLOUD }));

  it.each([...functions.keys()])('ends with all its attempts before the function does: %s', (folder) => {
    expect(clientsOf(folder)).toContain('shared/adapters/dynamodb/table/client.ts');
    expect(longestMs(folder)).toBeLessThan(1000 * Number(functions.get(folder)?.Properties['Timeout']));
  });

  it('goes to EC2 from the group of the cloud only', () => {
    const asking = [...functions.keys()].filter((folder) => longestMs(folder) > 5_000);
    expect(asking).toEqual(['cloud']);
  });
});

describe('a function that destroys', () => {
  it('ends before a Hold takes the revisions that it may have taken for those of the dead (V-105)', () => {
    const destroying = CONTROLLERS.filter(({ access }) =>
      (access as readonly string[]).includes('readHolds'),
    );
    expect(destroying.length).toBeGreaterThan(4);
    for (const { name } of destroying)
      expect(GROUPS[groupOf(name)].timeoutSeconds * 1000 + MINUTE_MS).toBeLessThanOrEqual(OLDEST_WRITER_MS);
  });
});
