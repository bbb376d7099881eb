/** Some settings are invalid. The message lists each one with its value and the remedy. */
export class InvalidSettingsError extends Error {
  override readonly name = 'InvalidSettingsError';
}
