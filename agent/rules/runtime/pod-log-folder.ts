/** Where the logs of a pod's containers are, below the folder of all of them. Source: kubernetes v1.34 `BuildPodLogsDirectory`. */
export const podLogFolder = (
  root: string,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): string => `${root}/${namespace}_${name}_${uid}`;
