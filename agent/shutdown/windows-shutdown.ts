/** Graceful shutdown as a Windows service. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `nodeshutdown_manager_windows.go`. */
import { requestedSeconds } from '../domain/shutdown/priority-groups.ts';
import { timeoutTooShort } from '../domain/shutdown/shutdown-delay.ts';
import { preshutdownOrder } from '../domain/shutdown/windows-order.ts';
import type { WindowsService, WindowsServices } from '../ports/windows-services.ts';
import { type NodeShutdown, type ShutdownState, shutdownAnswers } from './node-shutdown.ts';
import { processShutdown, restoreGauges, type ShutdownDeps } from './process-shutdown.ts';

export interface WindowsShutdownDeps extends ShutdownDeps {
  readonly services: WindowsServices;
}

/** Windows ends the agent before the services that it depends on. */
const takePlace = async (service: WindowsService): Promise<void> => {
  const [dependencies, order] = [await service.dependencies(), await service.preshutdownOrder()];
  await service.setPreshutdownOrder(preshutdownOrder(service.name, dependencies, order));
};

/** Makes Windows wait as long as the pods may take. */
const ensureTimeout = async (service: WindowsService, requestedMs: number): Promise<void> => {
  if (requestedMs <= (await service.preshutdownTimeoutMs())) return;
  await service.setPreshutdownTimeout(requestedMs);
  const currentMs = await service.preshutdownTimeoutMs();
  if (requestedMs > currentMs) throw new Error(timeoutTooShort(requestedMs, currentMs));
};

const ownService = async ({ services }: WindowsShutdownDeps): Promise<WindowsService> => {
  const service = await services.own();
  if (!service)
    throw new Error(
      'the agent is NOT running as a Windows service: its pods are not ended when Windows shuts down',
    );
  return service;
};

/** Graceful shutdown on Windows. A shutdown that Windows has begun is not cancelled. */
export const createWindowsShutdown = (deps: WindowsShutdownDeps): NodeShutdown => {
  const state: ShutdownState = { isShuttingDown: false, progress: undefined };
  let forget = (): void => {};
  return {
    ...shutdownAnswers(state),
    start: async () => {
      const service = await ownService(deps);
      await takePlace(service);
      await ensureTimeout(service, requestedSeconds(deps.entries) * 1000);
      forget = service.onPreshutdown(() =>
        processShutdown(deps, state, 'Shutdown manager detected preshutdown event'),
      );
      await restoreGauges(deps);
    },
    stop: async () => forget(),
  };
};
