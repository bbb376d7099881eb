import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { couldHelp } from '../../../../shared/rules/scheduling/could-help.ts';
import type { ObjectChange } from '../../../../shared/rules/scheduling/object-change.ts';
import { taint } from '../../../support/objects/domain-objects.ts';
import type { CasePod } from '../../../support/scheduling/recorded-cases.ts';
import { NAMESPACES, nodeOf, podOf } from '../../../support/scheduling/recorded-cases.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

const node = (parts: Partial<Parameters<typeof nodeOf>[0]> = {}): Node => nodeOf({ name: 'n1', ...parts });
const pod = (parts: Partial<CasePod> = {}): Pod => podOf({ name: 'p', ...parts });
const bound = (parts: Partial<CasePod> = {}): Pod => podOf({ name: 'b', on: 'n1', ...parts });

const object = (kind: string, name: string, namespace?: string): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
});

const spread = {
  topologySpreadConstraints: [
    {
      topologyKey: ZONE,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};
const web = { labels: { app: 'web' } };
const term = { topologyKey: HOST, labelSelector: { matchLabels: { app: 'web' } } };
const requiring = (kind: 'podAffinity' | 'podAntiAffinity') => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const claim = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c1' } }] };
const port = { ports: [{ hostPort: 80 }] };
const ending = (one: Pod): Pod => ({ ...one, status: { phase: 'Succeeded' } });
const terminating = (one: Pod): Pod => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

type Row = readonly [string, string, Pod, ObjectChange, boolean];

describe('couldHelp', () => {
  it.each<Row>([
    ['Q-01 a first node', '', pod(), { after: node() }, true],
    ['Q-01 not a pod without a node', '', pod(), { after: bound() }, false],
    [
      'Q-02 the pod itself tolerates more',
      'TaintToleration',
      pod(),
      { before: pod(), after: pod({ spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }) },
      true,
    ],
    [
      'Q-02 not its status',
      'TaintToleration',
      pod(),
      { before: pod(), after: pod({ status: { phase: 'Pending' } }) },
      false,
    ],
    [
      'Q-03 uncordon',
      'NodeUnschedulable',
      pod(),
      { before: node({ unschedulable: true }), after: node() },
      true,
    ],
    [
      'Q-03 not a cordon',
      'NodeUnschedulable',
      pod(),
      { before: node(), after: node({ unschedulable: true }) },
      false,
    ],
    [
      'Q-03 not another change of a node without a cordon',
      'NodeUnschedulable',
      pod(),
      { before: node(), after: node({ labels: { a: '1' } }) },
      false,
    ],
    [
      'Q-03 not a node that goes',
      'NodeUnschedulable',
      pod(),
      { before: node({ unschedulable: true }) },
      false,
    ],
    [
      'Q-04 the last taint goes',
      'TaintToleration',
      pod(),
      { before: node({ taints: [taint('a:NoSchedule')] }), after: node() },
      true,
    ],
    [
      'Q-04 not the first of two',
      'TaintToleration',
      pod(),
      {
        before: node({ taints: [taint('a:NoSchedule'), taint('b:NoSchedule')] }),
        after: node({ taints: [taint('b:NoSchedule')] }),
      },
      false,
    ],
    [
      'Q-05 a label that the selector wants',
      'NodeAffinity',
      pod({ spec: { nodeSelector: { a: '1' } } }),
      { before: node(), after: node({ labels: { a: '1' } }) },
      true,
    ],
    [
      'Q-05 not another label',
      'NodeAffinity',
      pod({ spec: { nodeSelector: { a: '1' } } }),
      { before: node(), after: node({ labels: { b: '1' } }) },
      false,
    ],
    ['Q-06 a bound pod goes', 'NodeResourcesFit', pod(), { before: bound() }, true],
    ['Q-06 a bound pod ends', 'NodeResourcesFit', pod(), { before: bound(), after: ending(bound()) }, true],
    [
      'Q-06 a bound pod asks for less',
      'NodeResourcesFit',
      pod(),
      { before: bound({ req: { cpu: '2' } }), after: bound({ req: { cpu: '1' } }) },
      true,
    ],
    ['Q-06 not a pod without a node', 'NodeResourcesFit', pod(), { before: podOf({ name: 'x' }) }, false],
    [
      'Q-06 a node grows',
      'NodeResourcesFit',
      pod({ req: { cpu: '2' } }),
      { before: node({ alloc: { cpu: '1' } }), after: node({ alloc: { cpu: '3' } }) },
      true,
    ],
    [
      'Q-06 not a node that stays too small',
      'NodeResourcesFit',
      pod({ req: { cpu: '4' } }),
      { before: node({ alloc: { cpu: '1' } }), after: node({ alloc: { cpu: '3' } }) },
      false,
    ],
    [
      'Q-06 not a node that grows elsewhere',
      'NodeResourcesFit',
      pod({ req: { cpu: '1' } }),
      { before: node(), after: node({ alloc: { memory: '16Gi' } }) },
      false,
    ],
    ['Q-07 the port is free again', 'NodePorts', pod(port), { before: bound(port) }, true],
    [
      'Q-07 not another port',
      'NodePorts',
      pod(port),
      { before: bound({ ports: [{ hostPort: 81 }] }) },
      false,
    ],
    [
      'Q-08 a counted pod comes',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { after: bound(web) },
      true,
    ],
    [
      'Q-08 a counted pod begins to leave',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { before: bound(web), after: terminating(bound(web)) },
      true,
    ],
    [
      'Q-08 not a pod that is not counted',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { before: bound() },
      false,
    ],
    [
      'Q-08 a zone label',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { before: node(), after: node({ labels: { [ZONE]: 'a' } }) },
      true,
    ],
    [
      'Q-08 a domain goes',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { before: node({ labels: { [ZONE]: 'a' } }) },
      true,
    ],
    [
      'Q-08 not a node outside of all domains',
      'PodTopologySpread',
      pod({ ...web, spec: spread }),
      { after: node() },
      false,
    ],
    [
      'Q-09 the pod of a required affinity',
      'InterPodAffinity',
      pod({ spec: requiring('podAffinity') }),
      { after: bound(web) },
      true,
    ],
    [
      'Q-09 not another pod',
      'InterPodAffinity',
      pod({ spec: requiring('podAffinity') }),
      { after: bound() },
      false,
    ],
    [
      'Q-09 the pod that it avoids goes',
      'InterPodAffinity',
      pod({ spec: requiring('podAntiAffinity') }),
      { before: bound(web) },
      true,
    ],
    [
      'Q-09 not one that it avoids and that comes',
      'InterPodAffinity',
      pod({ spec: requiring('podAntiAffinity') }),
      { after: bound(web) },
      false,
    ],
    [
      'Q-09 the pod that avoids it goes',
      'InterPodAffinity',
      pod(web),
      { before: bound({ spec: requiring('podAntiAffinity') }) },
      true,
    ],
    [
      'Q-10 its claim',
      'VolumeBinding',
      pod({ spec: claim }),
      { after: object('PersistentVolumeClaim', 'c1', 'default') },
      true,
    ],
    [
      'Q-10 not the claim of another namespace',
      'VolumeBinding',
      pod({ spec: claim }),
      { after: object('PersistentVolumeClaim', 'c1', 'other') },
      false,
    ],
    [
      'Q-10 a volume',
      'VolumeBinding',
      pod({ spec: claim }),
      { after: object('PersistentVolume', 'v1') },
      true,
    ],
    [
      'Q-10 not a volume, if there is no room',
      'NodeResourcesFit',
      pod({ spec: claim }),
      { after: object('PersistentVolume', 'v1') },
      false,
    ],
    ['Q-11 one of several plugins is enough', 'NodePorts NodeResourcesFit', pod(), { before: bound() }, true],
  ])('%s: %s', (_name, plugins, waiting, change, helps) => {
    const refused = { pod: waiting, plugins: new Set(plugins.split(' ').filter(Boolean)) };
    expect(couldHelp(change, refused, NAMESPACES)).toBe(helps);
  });
});
