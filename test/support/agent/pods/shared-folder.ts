/** A folder of the machine that pods show at the same path, and that containers of any user write to. */
import { chmodSync, mkdirSync } from 'node:fs';

interface Spec {
  readonly containers: readonly object[];
}

export const makeSharedFolder = (path: string): string => {
  mkdirSync(path);
  chmodSync(path, 0o777);
  return path;
};

/** The specification of a pod whose containers see the folder. */
export const withSharedFolder = <T extends Spec>(spec: T, path: string) => ({
  ...spec,
  volumes: [{ name: 'shared', hostPath: { path } }],
  containers: spec.containers.map((container) => ({
    ...container,
    volumeMounts: [{ name: 'shared', mountPath: path }],
  })),
});
