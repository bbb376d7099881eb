/** When Windows ends the agent's service during a shutdown. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `addToExistingOrder`. */

/**
 * Windows' order of services that end first (`PreshutdownOrder`), with the agent's service before the first of those that it
 * depends on. Dependencies that are not listed are appended. A service without dependencies leaves the order as it is.
 */
export const preshutdownOrder = (
  service: string,
  dependencies: readonly string[],
  order: readonly string[],
): readonly string[] => {
  if (dependencies.length === 0) return order;
  const others = order.filter((name) => name.toLowerCase() !== service.toLowerCase());
  const complete = [...others, ...dependencies.filter((name) => !others.includes(name))];
  return complete.toSpliced(
    complete.findIndex((name) => dependencies.includes(name)),
    0,
    service,
  );
};
