import { describe, expect, it } from 'vitest';
import { moduleText } from '../../../e2e/module-text.ts';

const GO_MOD = `module k8s.io/kubernetes

go 1.24.0

godebug default=go1.24

require (
	k8s.io/api v0.0.0
	k8s.io/kube-openapi v0.0.0-20250710124328-f3f2b991d03b
	k8s.io/utils v0.0.0-20250604170112-4c0f3b243397
)

require (
	k8s.io/gengo/v2 v2.0.0-20250604051438-85fd79dbfd9f // indirect
	k8s.io/kms v0.0.0 // indirect
)

replace k8s.io/api => ./staging/src/k8s.io/api
`;

describe("the module for Kubernetes' tests", () => {
  const lines = moduleText('1.34.4', GO_MOD).split('\n');

  it('takes from published modules what lies in its own tree, and nothing else', () => {
    expect(lines.filter((line) => line.startsWith('replace'))).toEqual([
      'replace k8s.io/api => k8s.io/api v0.34.4',
      'replace k8s.io/kms => k8s.io/kms v0.34.4',
    ]);
  });

  it('keeps its requirements and its Go', () => {
    expect(lines).toContain('require k8s.io/kubernetes v1.34.4');
    expect(lines).toContain('go 1.24.0');
    expect(lines).toContain('\tk8s.io/utils v0.0.0-20250604170112-4c0f3b243397');
  });
});
