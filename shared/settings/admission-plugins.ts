/** The settings of admission: among them the plugins that Kubernetes has, too, and runs only if they are named. */

/** The plugins that can be switched on. Kubernetes: `--enable-admission-plugins`. */
export const ADMISSION_PLUGINS = ['ExtendedResourceToleration', 'PodTolerationRestriction'] as const;

export type AdmissionPlugin = (typeof ADMISSION_PLUGINS)[number];

/** The longest default toleration that a setting or a namespace can have: 30 days. */
export const LONGEST_DEFAULT_TOLERATION_SECONDS = 30 * 24 * 3600;

/** What admission of pods takes from the settings. */
export interface AdmissionConfig {
  /**
   * `tolerationSeconds` of the not-ready and unreachable tolerations that pods get. Kubernetes:
   * `--default-not-ready-toleration-seconds` 300.
   */
  readonly defaultTolerationSeconds: number;
  /** The plugins that are switched on. */
  readonly enableAdmissionPlugins: readonly AdmissionPlugin[];
}

const isPlugin = (name: unknown): name is AdmissionPlugin =>
  (ADMISSION_PLUGINS as readonly unknown[]).includes(name);

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads names of plugins from a list, or comma-separated; `undefined` if one of them is unknown. */
export const readPlugins = (given: unknown): readonly AdmissionPlugin[] | undefined => {
  const names: unknown = typeof given === 'string' ? namesIn(given) : given;
  return Array.isArray(names) && names.every(isPlugin) ? [...new Set(names)] : undefined;
};
