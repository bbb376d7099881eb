import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AccessFacts, ResourceAccess } from '../../../../shared/apiserver/access/access.ts';
import { decideResourceAccess } from '../../../../shared/apiserver/access/authorization.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

const names = fc.constantFrom('', 'n1', 'n2', 'shared', 'web');
const access: fc.Arbitrary<ResourceAccess> = fc.record({
  verb: fc.constantFrom(
    'get',
    'list',
    'watch',
    'create',
    'update',
    'patch',
    'delete',
    'deletecollection',
    'impersonate',
    '*',
  ),
  group: fc.constantFrom('', 'coordination.k8s.io', 'storage.k8s.io', 'rollcall.dev', 'apps', '*'),
  resource: fc.constantFrom(
    'nodes',
    'pods',
    'secrets',
    'configmaps',
    'leases',
    'csinodes',
    'serviceaccounts',
    'users',
    '*',
    'constructor',
  ),
  subresource: fc.constantFrom('', 'status', 'token', 'eviction', 'heartbeat', '*'),
  namespace: fc.constantFrom('', 'default', 'kube-node-lease'),
  name: names,
});

const pod = (name: string, secretName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { volumes: [{ name: 'v', secret: { secretName } }] },
});

const facts = (fieldSelector: string): AccessFacts => ({
  fieldSelector,
  nodeOfPod: async (_namespace, name) => (name === 'web' ? 'n1' : undefined),
  podsOfNode: async (node) => (node === 'n1' ? [pod('web', 'shared')] : []),
  nodeOfAttachment: async () => undefined,
});

const selectors = fc.constantFrom(
  '',
  'spec.nodeName=n1',
  'spec.nodeName=n2',
  'spec.nodeName!=n1',
  'a=b',
  '\\',
);

const USER = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

/** What a node may never do, whatever it asks: the sentence is the reason. */
const FORBIDDEN: Readonly<Record<string, (asked: ResourceAccess, selector: string) => boolean>> = {
  'reads a secret that no pod of it names': ({ group, resource, namespace, name }) =>
    group === '' && resource === 'secrets' && !(namespace === 'default' && name === 'shared'),
  'writes a secret': ({ group, resource, verb }) =>
    group === '' && resource === 'secrets' && !['get', 'list', 'watch'].includes(verb),
  'reads another node': ({ group, resource, verb, name }) =>
    group === '' && resource === 'nodes' && ['get', 'list', 'watch'].includes(verb) && name !== 'n1',
  'reads pods of another node': ({ group, resource, verb }, selector) =>
    group === '' &&
    resource === 'pods' &&
    ['list', 'watch'].includes(verb) &&
    selector !== 'spec.nodeName=n1',
  'touches the lease of another node': ({ group, resource, verb, namespace, name }) =>
    group === 'coordination.k8s.io' &&
    resource === 'leases' &&
    (namespace !== 'kube-node-lease' || (verb !== 'create' && name !== 'n1')),
  'deletes whole collections': ({ verb }) => verb === 'deletecollection',
  'acts as somebody else': ({ verb }) => verb === 'impersonate',
  'gets everything at once': ({ verb, group, resource }) => [verb, group, resource].includes('*'),
};

it.each(Object.entries(FORBIDDEN))('a node never %s', async (_, isForbidden) => {
  const asked = fc.tuple(access, selectors).filter(([one, selector]) => isForbidden(one, selector));
  await fc.assert(
    fc.asyncProperty(asked, async ([one, selector]) => {
      expect((await decideResourceAccess(USER, one, facts(selector))).decision).toBe('noOpinion');
    }),
  );
});

const GROUPS = ['system:authenticated', 'system:unauthenticated', 'rollcall:viewers', 'system:bootstrappers'];

it('only administrators may impersonate others and read any Secret', async () => {
  const groups = fc.uniqueArray(fc.constantFrom(...GROUPS, 'system:nodes', 'constructor'));
  const asked = access.filter(({ verb, resource }) => verb === 'impersonate' || resource === 'secrets');
  await fc.assert(
    fc.asyncProperty(groups, fc.constantFrom('ann', 'system:node:n9'), asked, async (of, name, one) => {
      const { decision } = await decideResourceAccess({ name, groups: of }, { ...one, group: '' }, facts(''));
      expect(decision).toBe('noOpinion');
    }),
  );
});
