import { describe, expect, test } from 'vitest';
import { reconcileNodeLabels } from '../../../../shared/rules/nodes/beta-labels.ts';
import type { Labels } from '../../../../shared/rules/zones/zone-names.ts';
import { aNode } from '../../../support/objects/domain-objects.ts';

const OS = 'kubernetes.io/os';
const ARCH = 'kubernetes.io/arch';
const BETA_OS = 'beta.kubernetes.io/os';
const BETA_ARCH = 'beta.kubernetes.io/arch';

describe('reconcileNodeLabels', () => {
  const source = 'kubernetes v1.34 `TestReconcileNodeLabels`';
  const rule = 'kubernetes v1.34 `reconcileNodeLabels`';
  test.each<{ name: string; source: string; before: Labels | undefined; after?: Labels }>([
    { name: 'does not change a node without labels', source, before: undefined },
    {
      name: 'does not change other labels',
      source,
      before: { 'topology.kubernetes.io/region': 'region1' },
    },
    {
      name: 'adds the beta labels (A-02)',
      source,
      before: { [OS]: 'linux', [ARCH]: 'amd64' },
      after: { [OS]: 'linux', [ARCH]: 'amd64', [BETA_OS]: 'linux', [BETA_ARCH]: 'amd64' },
    },
    {
      name: 'overwrites beta labels that differ (A-02)',
      source,
      before: { [BETA_OS]: 'windows', [BETA_ARCH]: 'arm', [OS]: 'linux', [ARCH]: 'amd64' },
      after: { [OS]: 'linux', [ARCH]: 'amd64', [BETA_OS]: 'linux', [BETA_ARCH]: 'amd64' },
    },
    {
      name: 'does not change a beta label without its stable one',
      source: rule,
      before: { [BETA_OS]: 'windows' },
    },
    {
      name: 'does not change equal labels',
      source: rule,
      before: { [OS]: 'linux', [BETA_OS]: 'linux' },
    },
  ])('$name', ({ before, after }) => {
    const node = aNode(before === undefined ? {} : { labels: before });
    const mirrored = reconcileNodeLabels(node);
    if (after === undefined) expect(mirrored).toBe(node);
    else expect(mirrored.metadata.labels).toEqual(after);
  });
});
