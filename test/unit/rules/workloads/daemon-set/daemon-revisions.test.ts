import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../../../shared/kube/types/core.ts';
import { DAEMON_SET_REVISIONS } from '../../../../../shared/rules/workloads/daemon-set/daemon-revisions.ts';
import {
  newRevision,
  planRevisions,
} from '../../../../../shared/rules/workloads/revisions/controller-revisions.ts';
import { aWorkload } from '../../../../support/objects/workload-objects.ts';

const CONTAINER = {
  name: 'c',
  image: 'img:1',
  imagePullPolicy: 'IfNotPresent',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const ports = [{ containerPort: 9100, protocol: 'TCP' }];

describe('revisions of DaemonSets', () => {
  it.each<[string, string, PodSpec]>([
    ['plain', 'b66b7cfb9', { containers: [CONTAINER] }],
    ['hostnet', '7c685dd66b', { containers: [{ ...CONTAINER, ports }], hostNetwork: true }],
    ['select', '679597d446', { containers: [CONTAINER], nodeSelector: { role: 'x' } }],
  ])('%s has the hash that a real controller computed (W-101)', (name, hash, own) => {
    const spec: PodSpec = {
      automountServiceAccountToken: false,
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      ...own,
    };
    const template = { metadata: { labels: { ds: name } }, spec };
    const owner = aWorkload({ kind: 'DaemonSet', name, spec: { template } });
    const revision = newRevision(owner, planRevisions(owner, []), DAEMON_SET_REVISIONS, undefined);
    expect(revision.metadata).toMatchObject({
      name: `${name}-${hash}`,
      labels: { ds: name, 'controller-revision-hash': hash },
    });
  });
});
