/** Names and amounts of resources such as `cpu` and `example.com/gpu`. Source: core v1.34 `helper/helpers.go`. */
import { qualifiedNameFaults } from './names.ts';

/** True for a resource of Kubernetes itself, such as `cpu` and `pods`. */
export const isNativeResource = (name: string): boolean =>
  !name.includes('/') || name.includes('kubernetes.io/');

/** Whether a resource is outside of `kubernetes.io`, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith('requests.') &&
  qualifiedNameFaults(`requests.${name}`).length === 0;
