import { describe, expect, it } from 'vitest';
import { createTestApi, statusOf } from '../../../support/servers/api.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };

const created = (spec: object) =>
  createTestApi().send('POST', JOBS, {
    as: 'admin',
    body: { metadata: { name: 'x' }, spec: { template, ...spec } },
  });

const failure = (...rules: readonly object[]) => ({ podFailurePolicy: { rules } });
const codes = (onExitCodes: object, action = 'FailJob') =>
  failure({ action, onExitCodes: { operator: 'In', values: [1], ...onExitCodes } });
const conditions = (...onPodConditions: readonly object[]) => failure({ action: 'Ignore', onPodConditions });
const success = (...rules: readonly object[]) => ({
  completionMode: 'Indexed',
  completions: 5,
  successPolicy: { rules },
});

const AT = 'spec.podFailurePolicy.rules';
const RULES = 'spec.successPolicy.rules';

describe('policies of a Job', () => {
  it.each([
    [
      'each action and operator',
      failure(
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        { action: 'Count', onExitCodes: { operator: 'NotIn', values: [0, 1, 255] } },
        { action: 'FailJob', onExitCodes: { operator: 'In', values: [42], containerName: 'c' } },
      ),
    ],
    [
      'a rule that fails an index',
      { ...codes({}, 'FailIndex'), completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 },
    ],
    ['no rules', failure()],
    ['indexes and a count', success({ succeededIndexes: '0,2-4', succeededCount: 3 }, { succeededCount: 0 })],
  ])('may have %s', async (_what, spec) => {
    expect(statusOf(await created(spec))).toEqual([201, undefined, undefined]);
  });

  it('mean that a condition is true unless they say something else', async () => {
    const { json } = await created(conditions({ type: 'A' }, { type: 'B', status: 'Unknown' }));
    expect(json.spec.podFailurePolicy.rules[0].onPodConditions).toEqual([
      { type: 'A', status: 'True' },
      { type: 'B', status: 'Unknown' },
    ]);
  });

  // biome-ignore format: one row per fault
  it.each([
    [failure(...Array.from({ length: 21 }, () => ({ action: 'Count', onExitCodes: { operator: 'In', values: [1] } }))), `${AT}: Too many: 21: must have at most 20 items`],
    [codes({}, ''), `${AT}[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`],
    [codes({}, 'Odd'), `${AT}[0].action: Unsupported value: "Odd": supported values: "Count", "FailIndex", "FailJob", "Ignore"`],
    [codes({}, 'FailIndex'), `${AT}[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
    [failure({ action: 'Count' }), `${AT}[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    [failure({ action: 'Count', onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'A' }] }), `${AT}[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`],
    [codes({ operator: '' }), `${AT}[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`],
    [codes({ operator: 'Odd' }), `${AT}[0].onExitCodes.operator: Unsupported value: "Odd": supported values: "In", "NotIn"`],
    [codes({ containerName: 'd' }), `${AT}[0].onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template`],
    [codes({ values: [] }), `${AT}[0].onExitCodes.values: Invalid value: []: at least one value is required`],
    [codes({ values: Array.from({ length: 256 }, (_, code) => code + 1) }), `${AT}[0].onExitCodes.values: Too many: 256: must have at most 255 items`],
    [codes({ values: [0] }), `${AT}[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`],
    [codes({ values: [1, 1] }), `${AT}[0].onExitCodes.values[1]: Duplicate value: 1`],
    [codes({ values: [2, 1] }), `${AT}[0].onExitCodes.values: Invalid value: [2,1]: must be ordered`],
    [conditions(...Array.from({ length: 21 }, () => ({ type: 'A' }))), `${AT}[0].onPodConditions: Too many: 21: must have at most 20 items`],
    [conditions({ type: 'a b' }), `${AT}[0].onPodConditions[0].type: Invalid value: "a b"`],
    [conditions({ type: 'A', status: 'Odd' }), `${AT}[0].onPodConditions[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"`],
    [{ ...codes({}), template: { spec: { ...template.spec, restartPolicy: 'OnFailure' } } }, 'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'],
    [{ successPolicy: { rules: [{ succeededCount: 1 }] } }, 'spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode'],
    [success(), `${RULES}: Required value: at least one rules must be specified when the successPolicy is specified`],
    [success(...Array.from({ length: 21 }, () => ({ succeededCount: 1 }))), `${RULES}: Too many: 21: must have at most 20 items`],
    [success({}), `${RULES}[0]: Required value: at least one of succeededCount or succeededIndexes must be specified`],
    [success({ succeededCount: -1 }), `${RULES}[0].succeededCount: Invalid value: -1: must be greater than or equal to 0`],
    [success({ succeededCount: 6 }), `${RULES}[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)`],
    [success({ succeededCount: 3, succeededIndexes: '0-1' }), `${RULES}[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)`],
    [success({ succeededIndexes: '0-1-2' }), `error parsing succeededIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by '-'`],
    [success({ succeededIndexes: '0,a' }), 'error parsing succeededIndexes: cannot convert string to integer for index: "a"'],
    [success({ succeededIndexes: '0-5' }), 'error parsing succeededIndexes: too large index: "5"'],
    [success({ succeededIndexes: '3-1' }), 'error parsing succeededIndexes: non-increasing order, previous: 3, current: 1'],
    [success({ succeededIndexes: '1,1' }), 'error parsing succeededIndexes: non-increasing order, previous: 1, current: 1'],
  ])('are refused: %j', async (spec, message) => {
    expect(statusOf(await created(spec))).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });
});

describe('who works for a Job', () => {
  it.each([
    ['kubernetes.io/job-controller', undefined],
    ['example.org/queue/fast', undefined],
    ['', 'Required value'],
    ['queue', 'Invalid value: "queue": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['/queue', 'Invalid value: "/queue": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['Example.org/queue', 'Invalid value: "Example.org": a lowercase RFC 1123 subdomain must consist of'],
    ['example.org/a b', 'Invalid value: "a b": Invalid path (regex used for validation is '],
    [`example.org/${'q'.repeat(52)}`, 'Too long: may not be more than 63 bytes'],
  ])('%s: %s', async (managedBy, message) => {
    const { code, json } = await created({ managedBy });
    const [cause] = json.details?.causes ?? [];
    expect([code, cause?.field]).toEqual(message ? [422, 'spec.managedBy'] : [201, undefined]);
    if (message) expect(cause.message).toContain(message);
  });
});
