import { expect, it } from 'vitest';
import { NO_FAULTS } from '../../../../shared/adapters/hostile/process.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import type { ObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { createHostileInvocations } from '../../../../simulation/plane/hostile-invocation.ts';
import { aNode, aPod } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const bindTo = (writer: ObjectWriter, node: string) => {
  const next = aPod({ name: node, nodeName: node });
  const key = { resource: 'pods', namespace: 'default', name: node };
  return writer.write(key, () => ({ next, writer: 'client' }));
};

it('keeps claims and counters, whoever writes (J-02, J-04)', async () => {
  const clock = createVirtualClock();
  const { invocation } = createHostileInvocations(1, clock, () => NO_FAULTS);
  for (const options of [{ clock }, { clock, invocation }]) {
    const { state, writer, invoke } = createMemoryControlPlane(options);
    await writer.write(nodeKey('n1'), () => ({ next: aNode({ name: 'n1' }), writer: 'client' }));
    await bindTo(writer, 'n1');
    await clock.run(bindTo(invoke().writer, 'n2'));
    expect(await state.capacity.counters('n1')).toMatchObject({ counters: new Map([['pods', 1]]) });
    expect((await state.capacity.counters('n1'))?.digest).toBeDefined();
    expect(await state.capacity.allClaims('n2')).toMatchObject([{ uid: 'uid-of-n2' }]);
  }
});
