import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], testTimeout = 10_000) => ({
  test: { name, include, testTimeout, hookTimeout: 180_000 },
});

/** Files share their modules: nothing under test keeps state in one, and loading them again is most of the time. */
const pure = (name: string, include: string[], testTimeout?: number, exclude: string[] = []) => {
  const { test } = project(name, include, testTimeout);
  return { test: { ...test, exclude, isolate: false } };
};

/** V8 counts the blocks of functions that it compiles after the counting began, so these files must not share modules with others. */
const COUNTED = [
  'test/unit/apiserver/abuse-growth.test.ts',
  'test/unit/test/support/abuse/work.test.ts',
  'test/unit/host/folder/many-waiters.test.ts',
];

/** Files of the integration tests that have the stack for themselves. */
const ALONE = [
  // Their figures are those of docs/benchmarks.md.
  'clients/gateway',
  'nodes/lifecycle',
  'nodes/relay',
  // Their upper bounds are seconds: the cloud's word ends a Node within ten, and a policy's grace period is compared with another.
  'nodes/cloud-node',
  'nodes/policy',
  // Its page shows as many nodes as fit, and it stops the emulator of all others.
  'clients/dashboard',
  // It counts the messages in queues of all.
  'stack/faults',
  // It deletes a queue, and the changes of all others wait meanwhile.
  'stack/broken-queue',
  // It takes the room of functions that all others need.
  'stack/throttled',
  // It expects a taint, and no node is tainted while those of another file are all silent.
  'stack/operator',
  // They replace all functions, and deploy a second stack.
  'stack/redeploy',
  'stack/kept-state',
].map((name) => `test/integration/${name}.int.test.ts`);

/** It counts what a stack consumes that nothing else has used before. */
const UNUSED = ['test/integration/stack/cost.int.test.ts'];

/** It runs on the stack of an earlier release: `npm run test:integration -- --over=last`. */
const UPGRADE = ['test/integration/stack/upgrade.int.test.ts'];

const ON_THE_STACK = {
  setupFiles: ['test/integration/support/file-times.ts'],
  testTimeout: 600_000,
  hookTimeout: 120_000,
  // More sessions of kubectl at once only make each other wait until their time is over.
  maxConcurrency: 2,
};

/** Real processes with real seconds, and two cores: files after one another. */
const processes = (name: string, include: string[], exclude: string[] = []) => ({
  test: {
    name,
    include,
    exclude,
    setupFiles: ['test/support/shell/no-token-in-arguments.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});

export default defineConfig({
  test: {
    projects: [
      // No stop-watch: what takes seconds on a quiet machine takes many on a busy one.
      pure('unit', ['test/unit/**/*.test.ts'], 60_000, COUNTED),
      project('counted', COUNTED, 60_000),
      pure('property', ['test/property/**/*.prop.test.ts'], 240_000),
      project('faults', ['test/faults/**/*.test.ts'], 1_800_000),
      project('architecture', ['test/architecture/**/*.test.ts']),
      project('host-budgets', ['test/host-budgets/**/*.test.ts'], 120_000),
      project('contract', ['test/contract/**/*.test.ts'], 120_000),
      project('infrastructure', ['test/infrastructure/**/*.test.ts'], 120_000),
      processes('host', ['test/host/**/*.test.ts'], ['test/host/agent/**']),
      processes('agent', ['test/host/agent/**/*.test.ts']),
      processes('hostile', ['test/hostile/**/*.test.ts']),
      {
        // One browser and two cores: files after one another.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.browser.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        // Real processes, one after the other.
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // One shell that goes on from block to block.
        test: {
          name: 'readme',
          include: ['test/readme/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
          // Sessions of kubectl wait more than they work.
          maxConcurrency: 4,
        },
      },
      {
        test: {
          ...ON_THE_STACK,
          name: 'integration',
          // The contract of work queues again, on LocalStack's SQS.
          include: ['test/integration/**/*.int.test.ts', 'test/contract/queues/sqs.test.ts'],
          exclude: [...UNUSED, ...ALONE, ...UPGRADE],
          // They wait for each other's emulator, each with nodes, zones and namespaces of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...ON_THE_STACK,
          name: 'integration-alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: { ...ON_THE_STACK, name: 'integration-first', include: UNUSED, sequence: { groupOrder: 1 } },
      },
      {
        test: { ...ON_THE_STACK, name: 'integration-upgrade', include: UPGRADE, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
