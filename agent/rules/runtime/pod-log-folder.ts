/** File systems have names of at most so many bytes; the name of a pod may have 253. */
const MOST_NAME = 255;

/**
 * Where the logs of a pod's containers are, below the folder of all of them. A name of a pod that is too long is cut: the uid keeps the
 * folder its own. Source: kubernetes v1.34 `BuildPodLogsDirectory`, which does not cut, so that such a pod cannot start.
 */
export const podLogFolder = (
  root: string,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): string => {
  const most = MOST_NAME - namespace.length - uid.length - '__'.length;
  return `${root}/${namespace}_${name.slice(0, most)}_${uid}`;
};
