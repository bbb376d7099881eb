/** What the API refuses in the rules by which workloads replace their pods. Source: kubernetes v1.34 `pkg/apis/apps/validation`. */
import { describe, expect, it } from 'vitest';
import { createTestApi, type Json } from '../../../support/servers/api.ts';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const LESS_THAN_0 = 'must be greater than or equal to 0';

const refusalOf = async (resource: string, spec: object): Promise<readonly string[]> => {
  const body = {
    metadata: { name: 'w' },
    spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec },
  };
  const path = `/apis/apps/v1/namespaces/default/${resource}`;
  const { code, json } = await createTestApi().send('POST', path, { as: 'admin', body });
  if (code === 201) return [];
  return json.details.causes.map(({ field, message }: Json) => `${field}: ${message}`);
};

const rolling = (part: string, rollingUpdate: object): object => ({
  [part]: { type: 'RollingUpdate', rollingUpdate },
});
const surge = (rollingUpdate: object): object => rolling('strategy', rollingUpdate);
const update = (rollingUpdate: object): object => rolling('updateStrategy', rollingUpdate);
const DEPLOYED = 'spec.strategy.rollingUpdate';
const UPDATED = 'spec.updateStrategy.rollingUpdate';

// biome-ignore format: one row per rule
const ROWS: readonly (readonly [string, object, readonly string[]])[] = [
  ['deployments', surge({ maxUnavailable: '100%', maxSurge: '300%' }), []],
  ['deployments', { strategy: { type: 'Recreate' } }, []],
  ['deployments', { strategy: { type: 'Odd', rollingUpdate: { maxSurge: 1 } } }, ['spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"']],
  ['deployments', { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }, [`${DEPLOYED}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`]],
  ['deployments', surge({ maxUnavailable: 'few', maxSurge: '1' }), [`${DEPLOYED}.maxUnavailable: Invalid value: "few": ${PERCENT}`, `${DEPLOYED}.maxSurge: Invalid value: "1": ${PERCENT}`]],
  ['deployments', surge({ maxUnavailable: -1, maxSurge: 1 }), [`${DEPLOYED}.maxUnavailable: Invalid value: -1: ${LESS_THAN_0}`]],
  ['deployments', surge({ maxUnavailable: '101%' }), [`${DEPLOYED}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`]],
  ['deployments', surge({ maxUnavailable: 0, maxSurge: '0%' }), [`${DEPLOYED}.maxUnavailable: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`]],
  ['deployments', { progressDeadlineSeconds: 10, minReadySeconds: 10 }, ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds']],
  ['deployments', { progressDeadlineSeconds: -1 }, [`spec.progressDeadlineSeconds: Invalid value: -1: ${LESS_THAN_0}`, 'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds']],
  ['deployments', { template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }, ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported']],
  ['daemonsets', { updateStrategy: { type: 'OnDelete' } }, []],
  ['daemonsets', update({ maxSurge: '10%', maxUnavailable: 0 }), []],
  ['daemonsets', { updateStrategy: { type: 'Odd' } }, ['spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"']],
  ['daemonsets', update({ maxSurge: 1, maxUnavailable: 1 }), [`${UPDATED}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`]],
  ['daemonsets', update({ maxSurge: 0, maxUnavailable: 0 }), [`${UPDATED}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`]],
  ['daemonsets', update({ maxSurge: '200%', maxUnavailable: 0 }), [`${UPDATED}.maxSurge: Invalid value: "200%": must not be greater than 100%`]],
  ['daemonsets', { template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }, ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported']],
  ['statefulsets', update({ partition: 3, maxUnavailable: '50%' }), []],
  ['statefulsets', { podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' }, ordinals: { start: 3 } }, []],
  ['statefulsets', { podManagementPolicy: 'Odd' }, [`spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'`]],
  ['statefulsets', { updateStrategy: { type: 'Odd', rollingUpdate: { partition: 1 } } }, [`spec.updateStrategy: Invalid value: {"Type":"Odd","RollingUpdate":{"Partition":1,"MaxUnavailable":null}}: must be 'RollingUpdate' or 'OnDelete'`]],
  ['statefulsets', { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }, [`${UPDATED}: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`]],
  ['statefulsets', update({ partition: -1 }), [`${UPDATED}.partition: Invalid value: -1: ${LESS_THAN_0}`]],
  ['statefulsets', update({ maxUnavailable: 0 }), [`${UPDATED}.maxUnavailable: Invalid value: 0: cannot be 0`]],
  ['statefulsets', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } }, ['spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"']],
  ['statefulsets', { serviceName: 'Db' }, [expect.stringMatching(/^spec\.serviceName: Invalid value: "Db": a lowercase RFC 1123 label must consist of/)]],
  ['statefulsets', { volumeClaimTemplates: [{ metadata: { name: 'a' }, spec: { volumeMode: 'Odd', resources: { requests: { storage: '0' } } } }] }, ['spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required', 'spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "0": must be greater than zero', 'spec.volumeClaimTemplates[0].spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"']],
  ['statefulsets', { ordinals: { start: -1 } }, [`spec.ordinals.start: Invalid value: -1: ${LESS_THAN_0}`]],
  ['statefulsets', { template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }, ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported']],
];

describe('how a workload replaces its pods', () => {
  it.each(ROWS)('%s %j', async (resource, spec, refusal) => {
    expect(await refusalOf(resource, spec)).toEqual(refusal);
  });
});
