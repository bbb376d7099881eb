/** Plays what the kubelets of living nodes report of volumes. */

import type { Pod } from '../../../shared/kube/types/core.ts';
import { volumesAttachedOf } from '../../../shared/rules/attachments/volumes-attached.ts';
import { claimPathsOf } from '../../../shared/rules/attachments/wanted-volumes.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';
import { uniqueName } from '../objects/attachment-objects.ts';
import { changeNode } from './fleet.ts';
import { all } from './stored-objects.ts';

/** The unique names of the volumes of claims that `aBoundClaim` has made. */
const volumesOf = (pod: Pod): readonly string[] =>
  claimPathsOf(pod).map((path) => uniqueName(path.replace('default/pvc-', '')));

/** A living kubelet reports what its pods use, once that is attached. */
export const playKubelets = (plane: ControlPlane, alive: ReadonlySet<string>): void => {
  const loop = async (): Promise<void> => {
    for (;;) {
      const pods = await all<Pod>(plane, 'pods');
      for (const name of alive)
        await changeNode(plane, name, (node) => {
          const here = pods.filter(({ spec }) => spec.nodeName === name).flatMap(volumesOf);
          const inUse = volumesAttachedOf(node).filter((one) => here.includes(one));
          const { volumesInUse: before, ...status } = node.status ?? {};
          if (JSON.stringify(before ?? []) === JSON.stringify(inUse)) return node;
          return { ...node, status: { ...status, ...(inUse.length > 0 ? { volumesInUse: inUse } : {}) } };
        });
      await plane.clock.sleep(300);
    }
  };
  void loop();
};
