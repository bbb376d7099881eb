import { goLabelSelector } from '../../shared/kube/selector/go-label-selector.ts';
import type { LabelSelector } from '../../shared/kube/types/meta.ts';
import type { EventText } from '../../shared/ports/process/event-recorder.ts';

/** Source of the texts: kubernetes v1.34 pkg/controller/disruption. */
const component = 'controllermanager';

export const NO_PODS: EventText = {
  type: 'Normal',
  reason: 'NoPods',
  component,
  message: 'No matching pods found',
};

export const calculationFailed = (why: string): EventText => ({
  type: 'Warning',
  reason: 'CalculateExpectedPodCountFailed',
  component,
  message: `Failed to calculate the number of expected pods: ${why}`,
});

export const unmanagedPods = (selector: LabelSelector | undefined): EventText => ({
  type: 'Warning',
  reason: 'UnmanagedPods',
  component,
  message: `Pods selected by this PodDisruptionBudget (selector: ${goLabelSelector(selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
});

export const severalBudgets = (namespace: string, pod: string, budget: string): EventText => ({
  type: 'Warning',
  reason: 'MultiplePodDisruptionBudgets',
  component,
  message: `Pod "${namespace}"/"${pod}" matches multiple PodDisruptionBudgets.  Chose "${budget}" arbitrarily.`,
});

/** Kubernetes names the namespace twice, and not the budget. */
export const notDeleted = (namespace: string): EventText => ({
  type: 'Warning',
  reason: 'NotDeleted',
  component,
  message: `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
});
