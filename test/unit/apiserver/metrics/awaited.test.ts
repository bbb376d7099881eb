import { expect, it } from 'vitest';
import type { FlowControl } from '../../../../shared/apiserver/contract/flow-control.ts';
import { createTestApi } from '../../../support/servers/api.ts';

it('a request that waits for nodes does not keep others from executing', async () => {
  const answers: (() => void)[] = [];
  let executing = 0;
  const flow: FlowControl = {
    identify: (_, work) => work(),
    enter: () => ({
      run: async (work) => {
        executing += 1;
        try {
          return await work();
        } finally {
          executing -= 1;
        }
      },
    }),
  };
  const asked = Promise.withResolvers<void>();
  const nodeFetch = () => {
    asked.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    answers.push(() => reject(new Error('gone')));
    return promise;
  };
  const api = createTestApi({ nodeFetch, flow });
  await api.send('POST', '/api/v1/nodes', {
    as: 'admin',
    body: { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  });
  const metrics = api.send('GET', '/apis/metrics.k8s.io/v1beta1/nodes/n1');
  await asked.promise;
  await new Promise(setImmediate);
  expect(executing).toBe(0);
  for (const answer of answers) answer();
  expect((await metrics).json.message).toBe('nodemetrics.metrics.k8s.io "n1" not found');
});
