/** Admission plugins for pods that run only if the settings name them. This file is loaded when they name one. */
import type { Pod } from '../../api/core.ts';
import type { AdmissionPlugin } from '../../config/admission-plugins.ts';
import { tolerateExtendedResources } from '../../domain/pods/extended-resource-toleration.ts';
import type { PodPlugins } from './admission.ts';

/** What the plugins that are switched on do to pods. */
export const podPlugins = (enabled: readonly AdmissionPlugin[]): PodPlugins => ({
  addTolerations: (pod: Pod): Pod =>
    enabled.includes('ExtendedResourceToleration') ? tolerateExtendedResources(pod) : pod,
});
