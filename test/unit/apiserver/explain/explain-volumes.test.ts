import { describe, expect, it } from 'vitest';
import { nameOfAttachment } from '../../../../shared/apiserver/explain/read-attachments.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { VolumeAttachment } from '../../../../shared/kube/types/storage.ts';
import { attachableOf, newAttachment } from '../../../../shared/rules/attachments/attachable.ts';
import { storedName } from '../../../../shared/rules/attachments/wait-names.ts';
import { aBoundClaim, aCsiVolume, aManagedNode, aUser } from '../../../support/objects/attachment-objects.ts';
import { keyOf } from '../../../support/planes/stored-objects.ts';
import { createTestApi, type Json, NODES, PODS, START, type TestApi } from '../../../support/servers/api.ts';

const attachmentOf = (volume: string, node: string): VolumeAttachment => {
  const attachable = attachableOf(aCsiVolume(volume));
  if (!attachable) throw new Error('not attachable');
  const name = nameOfAttachment(attachable, node);
  const made = newAttachment(name, attachable, node, {
    uid: `va-${volume}`,
    creationTimestamp: '2026-03-01T11:00:00Z',
  });
  return { ...made, status: { attached: true } };
};

const put = async (api: TestApi, ...objects: readonly ApiObject[]): Promise<void> => {
  for (const next of objects) await api.writer.write(keyOf(next), () => ({ next, writer: 'controller' }));
};

/** The silent node n1 has the volume `a`, which nobody has wanted there for a minute. The pod p2 wants it on n2. */
const createWorld = async (given: Parameters<typeof createTestApi>[0] = {}): Promise<TestApi> => {
  const api = createTestApi(given);
  const silent: Node = aManagedNode('n1', { ready: 'Unknown', inUse: ['a'], attached: ['a'] });
  const attachment = attachmentOf('a', 'n1');
  await put(api, silent, aManagedNode('n2'), aCsiVolume('a'), aBoundClaim('a'), attachment);
  await put(api, aUser('p2', 'n2', ['a']));
  const key = { topic: 'unwanted-volume', name: storedName('n1', attachment.metadata.name) } as const;
  const uid = attachment.metadata.uid ?? '';
  await api.control.replaceSighting(key, undefined, { ...key, uid, since: START - 60_000 });
  return api;
};

const detachOf = async (api: TestApi, path: string, as = 'viewer'): Promise<Json> => {
  const { json } = await api.send('GET', `${path}/explain`, { as });
  return json.answers.find(({ question }: Json) => question === 'detach');
};

describe('why a volume is not detached (J-120)', () => {
  it.each([
    ['the node that has it', `${NODES}/n1`],
    ['a pod that wants it elsewhere', `${PODS}/p2`],
  ])('is told of %s', async (_name, path) => {
    const answer = await detachOf(await createWorld(), path);
    expect(answer).toMatchObject({
      about: attachmentOf('a', 'n1').metadata.name,
      verdict: 'DetachWaits',
      since: '2026-03-01T11:59:00Z',
      // Six minutes, and the first whole millisecond after them.
      next: { verdict: 'Detached', time: '2026-03-01T12:05:00Z' },
    });
    expect(answer.because.map(({ message }: Json) => message)).toContain(
      'the node has not said that it is unmounted',
    );
  });

  it('is found by the list of the node where there are too many to be searched', async () => {
    const api = await createWorld();
    const { page } = api.objects;
    Object.assign(api.objects, {
      page: async (query: Parameters<typeof page>[0]) =>
        query.resource === 'volumeattachments' ? { ...(await page(query)), rows: [] } : page(query),
    });
    expect((await detachOf(api, `${NODES}/n1`)).verdict).toBe('DetachWaits');
  });

  it('is hidden from a node, which may not read volumes', async () => {
    const api = await createWorld();
    const nodeUid = 'n-n1';
    const { json } = await api.send('GET', `${NODES}/n1/explain`, { as: 'system:node:n1', nodeUid });
    expect(json.answers.find(({ question }: Json) => question === 'detach').verdict).toBe('Hidden');
  });

  it('is not a question for a node whose kubelet attaches volumes itself', async () => {
    const api = await createWorld();
    const { annotations: _, ...metadata } = aManagedNode('n1').metadata;
    await put(api, { ...aManagedNode('n1'), metadata });
    expect(await detachOf(api, `${NODES}/n1`)).toBeUndefined();
  });
});
