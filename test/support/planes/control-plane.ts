/** For callers that make many control planes, and wait for none: the controllers are loaded with this module. */
import { loadControllers } from '../../../lambdas/controllers.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../../simulation/plane/control-plane-types.ts';
import { controlPlaneOf } from '../../../simulation/plane/memory-control-plane.ts';

const CONTROLLERS = await loadControllers();

export const createMemoryControlPlane = (options: ControlPlaneOptions = {}): ControlPlane =>
  controlPlaneOf(CONTROLLERS, options);
