/** Creates, changes, deletes and recreates one object, and compares it after each restart with what was acknowledged. */

import type { ApiResponse } from '../../shared/client/api-client.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { contentOf, createdObject, patchTo, pathOf } from './content.ts';
import type { Ledger, Resource } from './ledger.ts';
import type { Link } from './link.ts';
import type { Random } from './random.ts';

export interface WrittenObject {
  /** Compares the object with what was acknowledged. Rejects if the host does not answer. */
  verify(): Promise<void>;
  /** Makes one write. If its answer is lost, the next call verifies the object instead. */
  write(): Promise<void>;
}

export interface WriterDeps {
  readonly link: Link;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly token: string;
}

interface Known {
  readonly uid: string;
  readonly content: number;
  readonly version: number;
}

type Operation = 'create' | 'change' | 'delete';

/** Share of deletions among the writes to an existing object. */
const DELETES = 0.2;

const knownOf = (object: ApiObject): Known => ({
  uid: object.metadata.uid ?? '',
  content: contentOf(object),
  version: Number(object.metadata.resourceVersion),
});

/** What is wrong with `found`, given what was acknowledged and which operation has an unknown outcome. */
const faultOf = (
  found: Known | undefined,
  known: Known | undefined,
  unclear: Operation | undefined,
  number: number,
): string | undefined => {
  if (!found) return known && unclear !== 'delete' ? 'an acknowledged write is gone' : undefined;
  if (!known) {
    if (unclear !== 'create') return 'an acknowledged deletion was undone';
    return found.content === number ? undefined : `content ${found.content}, created with ${number}`;
  }
  if (found.uid !== known.uid) return 'it has another uid';
  if (found.version < known.version) return `version ${found.version} is below ${known.version}`;
  const contents = unclear === 'change' ? [known.content, number] : [known.content];
  return contents.includes(found.content)
    ? undefined
    : `content ${found.content}, not one of ${contents.join(', ')}`;
};

export const createWrittenObject = (resource: Resource, name: string, deps: WriterDeps): WrittenObject => {
  const { link, ledger, random, token } = deps;
  const path = pathOf(resource, name);
  let known: Known | undefined;
  let unclear: Operation | undefined;
  let number = 0;

  const verifyEntry = async (): Promise<void> => {
    const { status } = await link.client.call('POST', `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`, token);
    if (status === (known ? 200 : 404)) return;
    ledger.violate(`nodes/${name}: its heartbeat item ${known ? 'refuses' : 'takes'} a beat (${status})`);
  };
  const verify = async (): Promise<void> => {
    const { status, body } = await link.client.call('GET', path, token);
    if (status !== 200 && status !== 404) throw new Error(`GET ${path}: ${status}`);
    const found = status === 200 ? knownOf(body as ApiObject) : undefined;
    const fault = faultOf(found, known, unclear, number);
    if (fault !== undefined) ledger.violate(`${resource}/${name}: ${fault}`);
    known = found;
    unclear = undefined;
    if (resource === 'nodes') await verifyEntry();
  };
  const send = (operation: Operation): Promise<ApiResponse> => {
    if (operation === 'create')
      return link.client.call('POST', pathOf(resource), token, createdObject(resource, name, number));
    if (operation === 'change') return link.client.call('PATCH', path, token, patchTo(name, number));
    return link.client.call('DELETE', path, token, { gracePeriodSeconds: 0 });
  };
  const record = (operation: Operation, { status, body }: ApiResponse): void => {
    if (status >= 300) {
      ledger.violate(`${operation} ${resource}/${name}: ${status} ${JSON.stringify(body)}`);
      return;
    }
    const after = operation === 'delete' ? undefined : knownOf(body as ApiObject);
    const { uid, version } = after ?? known ?? { uid: '', version: 0 };
    ledger.acknowledge({ resource, name, uid, version, content: after?.content });
    known = after;
    unclear = undefined;
  };
  const nextOperation = (): Operation => {
    if (!known) return 'create';
    return random.next() < DELETES ? 'delete' : 'change';
  };
  const write = async (): Promise<void> => {
    if (unclear !== undefined) return verify();
    const operation = nextOperation();
    number += 1;
    unclear = operation;
    try {
      record(operation, await send(operation));
    } catch (error) {
      ledger.counts.unclear += 1;
      throw error;
    }
  };
  return { verify, write };
};
