import { expect, it } from 'vitest';
import { createUsageTeller } from '../../../host/usage-too-large.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import { eventsOf } from '../../support/planes/fleet.ts';

it('an operator finds one Event per node and hour about answers that are too large (J-197)', async () => {
  const plane = createMemoryControlPlane();
  const tell = createUsageTeller({ writer: plane.writer, clock: plane.clock, ids: systemIds });
  for (const name of ['n1', 'n1', 'n2']) tell({ name, uid: `u-${name}` }, 'it has more than 60000 values');
  await plane.run(1_000);
  const text =
    'UsageTooLarge: what the node tells of its usage is not read: it has more than 60000 values; it is asked again in 5 minutes';
  expect(eventsOf(plane)).toEqual([text, text]);
  await plane.run(3_600_000);
  tell({ name: 'n1', uid: 'u-n1' }, 'it has more than 60000 values');
  await plane.run(1_000);
  expect(eventsOf(plane)).toEqual([text, text, text]);
});
