/** What nodes and the scheduler write has budgets in `test/host-budgets`: they write without end, so each message of theirs counts. */
import { describe, expect, it } from 'vitest';
import type { AccessFacts } from '../../shared/apiserver/access/access.ts';
import { decideNodeAccess } from '../../shared/apiserver/access/node-authorizer.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/kube/types/well-known.ts';
import { CASES } from '../host-budgets/cases.ts';

const NODE = 'n1';
const WRITES = ['create', 'update', 'patch', 'delete'];
/** A bind, and its Event. */
const BY_THE_SCHEDULER = ['pods', 'events'];

/** No pod refers to anything. */
const NOTHING: AccessFacts = {
  fieldSelector: '',
  nodeOfPod: async () => undefined,
  podsOfNode: async () => [],
  nodeOfAttachment: async () => undefined,
};

const mayWrite = async (group: string, resource: string, namespaced: boolean): Promise<boolean> => {
  const namespace = namespaced ? NODE_LEASE_NAMESPACE : '';
  const access = { group, resource, subresource: '', namespace, name: NODE };
  const decisions = await Promise.all(
    WRITES.map((verb) => decideNodeAccess(NODE, { ...access, verb }, NOTHING)),
  );
  return decisions.some(({ decision }) => decision === 'allow');
};

/** Resources with objects that a client may read again: reviews are answered and not stored. */
const STORED = RESOURCES.filter(({ verbs }) => verbs.get);

describe.each(STORED.map(({ group, resource, namespaced }) => [resource, group, namespaced] as const))(
  'the resource %s',
  (resource, group, namespaced) => {
    it('has a budget if nodes or the scheduler write it', async () => {
      const isWritten = BY_THE_SCHEDULER.includes(resource) || (await mayWrite(group, resource, namespaced));
      const budgeted = CASES.some((one) => one.resource === resource);
      expect(budgeted || !isWritten).toBe(true);
    });
  },
);
