import type { NamespaceMessage } from '../../../lambdas/namespace/message.ts';
import { reconcile } from '../../../lambdas/namespace/reconcile.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { liveRow, namespaceKey } from '../../../shared/ports/store/rows.ts';
import { collected } from '../../../shared/rules/owners/collect.ts';
import { heldForContent } from '../../../shared/rules/owners/namespace-holds.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { sqliteStates } from '../../support/stores/sqlite-folders.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import type { DynamoBench } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';

const CONFIG_MAPS = 5_000;
const NAME = 'team';
const AT_ONCE = 16;
/** Until the namespace is gone. */
const MOST_SECONDS = 60;

type Stores = Pick<DynamoBench['stores'], 'objects' | 'heartbeats' | 'capacity'>;

const aConfigMap = (name: string): ApiObject & { readonly data: object } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAME, uid: ids.uuid(), creationTimestamp: toTime(clock.now()) },
  data: { text: 'x'.repeat(1_000) },
});

const depsOf = (stores: Stores) => {
  const capacityEffects = createCapacityEffects(stores.capacity);
  return { ...stores, clock, ids, writer: createObjectWriter({ ...stores, clock, ids, capacityEffects }) };
};

/** A namespace with so many ConfigMaps, which is being deleted. */
const begin = async (stores: Stores, count: number): Promise<string> => {
  const { writer } = depsOf(stores);
  const metadata = { name: NAME, uid: ids.uuid() };
  const namespace = heldForContent({ apiVersion: 'v1', kind: 'Namespace', metadata });
  await writer.write(namespaceKey(NAME), () => ({ next: namespace, writer: 'client' }));
  const names = Array.from({ length: count }, (_, index) => `c${index}`);
  await inParallel(names, AT_ONCE, (name) =>
    writer.write({ resource: 'configmaps', namespace: NAME, name }, () => ({
      next: aConfigMap(name),
      writer: 'client',
    })),
  );
  await writer.write(namespaceKey(NAME), (row, now) => {
    const next = collected('namespaces', liveRow(row)?.object ?? namespace, 'Background', now);
    return next && { ...next, writer: 'client' };
  });
  return metadata.uid;
};

/** Looks until the namespace is gone, without the waits between looks. Resolves to the number of looks. */
const empty = async (stores: Stores, uid: string): Promise<number> => {
  const messages: NamespaceMessage[] = [{ v: 1, name: NAME, uid }];
  const send = async (_queue: string, sent: readonly { readonly body: unknown }[]): Promise<void> => {
    messages.push(...sent.map(({ body }) => body as NamespaceMessage));
  };
  let looks = 0;
  for (let message = messages.shift(); message; message = messages.shift()) {
    await reconcile({ ...depsOf(stores), queues: { send } }, message);
    looks += 1;
  }
  if (liveRow(await stores.objects.read(namespaceKey(NAME)))) throw new Error('the namespace is still there');
  return looks;
};

const timed = async (stores: Stores, count: number) => {
  const uid = await begin(stores, count);
  const startedAt = performance.now();
  const looks = await empty(stores, uid);
  return { looks, seconds: (performance.now() - startedAt) / 1_000 };
};

const onSqlite = async (): Promise<readonly Figure[]> => {
  const { open, dispose } = sqliteStates();
  try {
    const { looks, seconds } = await timed(open(clock), CONFIG_MAPS);
    const note = `${looks} looks; the first one begins five seconds after the deletion`;
    return [
      {
        name: 'a namespace with 5,000 ConfigMaps goes, SQLite',
        unit: 's',
        value: seconds,
        target: { atMost: MOST_SECONDS },
        note,
      },
    ];
  } finally {
    dispose();
  }
};

const onDynamo = async ({ stores, meter }: DynamoBench): Promise<readonly Figure[]> => {
  const emptyUid = await begin(stores, 0);
  meter.take();
  await empty(stores, emptyUid);
  const nothing = meter.take();
  const uid = await begin(stores, CONFIG_MAPS);
  meter.take();
  const startedAt = performance.now();
  const looks = await empty(stores, uid);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { readUnits, writeUnits } = meter.take();
  const note = `${looks} looks`;
  return [
    { name: 'an empty namespace goes', unit: 'RRU', value: nothing.readUnits },
    { name: 'the same', unit: 'WRU', value: nothing.writeUnits },
    { name: 'a namespace with 5,000 ConfigMaps of 1 KB goes', unit: 'RRU', value: readUnits, note },
    { name: 'the same', unit: 'WRU', value: writeUnits },
    { name: 'the same, on DynamoDB Local', unit: 's', value: seconds, target: { atMost: MOST_SECONDS } },
  ];
};

/** How long it takes to empty a namespace, and what it costs. */
export const namespaceUnits: Bench = () => onDynamoDb(onDynamo);
export const namespaceSeconds: Bench = onSqlite;
