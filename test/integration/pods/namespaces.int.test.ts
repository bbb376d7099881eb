/** A namespace goes with everything in it, by a real kubectl. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { type DeployedStage, openStage } from '../support/stage.ts';
import { eventually } from '../support/wait.ts';

const NAME = 'leaving';
const NODE = 'leaving-1';
const TEST_MS = 600_000;
const WITHIN_MS = 120_000;
const KINDS = 'deployments,replicasets,pods,configmaps,secrets,services,serviceaccounts,poddisruptionbudgets';
let stage: DeployedStage;

const CONTENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${NAME}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: rollcall
      terminationGracePeriodSeconds: 1
      nodeSelector: {leaving: here}
      containers: [{name: app, image: image:1}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: ${NAME}}
spec: {minAvailable: 3, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${NAME}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${NAME}}
---
apiVersion: v1
kind: Secret
metadata: {name: settings, namespace: ${NAME}}
`;

beforeAll(async () => {
  if (!hasKubectl) return;
  stage = await openStage();
  await stage.addNamespace(NAME);
  await stage.addNodes([NODE], { leaving: 'here' });
}, TEST_MS);

afterAll(async () => {
  if (!hasKubectl) return;
  await stage.call('DELETE', `/api/v1/nodes/${NODE}`);
  await stage.stop();
}, TEST_MS);

if (!hasKubectl) process.stdout.write('skipped: a namespace by kubectl: this machine has no kubectl\n');

describe.skipIf(!hasKubectl)('kubectl delete namespace', () => {
  it(
    'returns when the namespace and all that was in it are gone',
    async () => {
      await stage.kubectl(['create', '-f', '-'], CONTENT);
      await eventually('three pods run', WITHIN_MS, async () => {
        const running = await stage.kubectl([
          'get',
          'pods',
          '-n',
          NAME,
          '--field-selector',
          'status.phase=Running',
          '-o',
          'name',
        ]);
        return running.trim().split('\n').length === 3;
      });
      const began = Date.now();
      await stage.kubectl(['delete', 'namespace', NAME, '--timeout', '300s']);
      process.stdout.write(`a namespace on LocalStack was gone after ${Date.now() - began} ms\n`);

      await expect(stage.kubectl(['get', 'namespace', NAME])).rejects.toThrow('NotFound');
      expect(await stage.kubectl(['get', KINDS, '-n', NAME, '-o', 'name'])).toBe('');
      await expect(stage.kubectl(['create', 'configmap', 'late', '-n', NAME])).rejects.toThrow('not found');
    },
    TEST_MS,
  );
});
