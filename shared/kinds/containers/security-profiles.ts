/** Rules for seccomp and AppArmor. Source: core validation v1.34 `validateSeccompProfileField`, `ValidateAppArmorProfileField`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { descendingFaults } from '../fields/paths.ts';

interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface Profiles {
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}

const TYPES: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined'];

const typeFaults = (type: string, what: string, field: string): readonly FieldError[] => {
  if (type === '') return [required(field, `type is required when ${what} is set`)];
  return TYPES.includes(type) ? [] : [notSupported(field, type, TYPES)];
};

export const validateSeccomp = (profile: Profile | undefined, at: string): readonly FieldError[] => {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  const [types, field] = [typeFaults(type, 'seccompProfile', `${at}.type`), `${at}.localhostProfile`];
  if (type === 'Localhost')
    return localhostProfile === undefined
      ? [required(field, 'must be set when seccomp type is Localhost')]
      : descendingFaults(localhostProfile, field);
  if (localhostProfile === undefined) return types;
  const printed = { Type: type, LocalhostProfile: localhostProfile };
  return [...types, invalidValue(field, printed, 'can only be set when seccomp type is Localhost')];
};

const localAppArmorFaults = (profile: string | undefined, field: string): readonly FieldError[] => {
  if (profile !== undefined && profile !== profile.trim())
    return [invalidValue(field, profile, 'must not be padded with whitespace')];
  return profile ? [] : [required(field, 'must be set when AppArmor type is Localhost')];
};

export const validateAppArmor = (profile: Profile | undefined, at: string): readonly FieldError[] => {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  const field = `${at}.localhostProfile`;
  if (type === 'Localhost') return localAppArmorFaults(localhostProfile, field);
  const types = typeFaults(type, 'appArmorProfile', `${at}.type`);
  return types.length > 0 || localhostProfile === undefined
    ? types
    : [invalidValue(field, localhostProfile, 'can only be set when AppArmor type is Localhost')];
};
