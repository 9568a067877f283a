import type { MachineObject } from '../../api/machine.openshift.io/machine.ts';
import { DELETION_POLICIES, type DeletionPolicy } from '../../model/machine.ts';
import { controllerOf } from '../../model/owner-reference.ts';
import { readRolloutMark, ROLLOUT_ANNOTATION, type RolloutMark } from '../../model/rollout-mark.ts';
import {
  mergeSettings,
  SETTINGS_ANNOTATION,
  settingsOfText,
  textOfSettings,
  type TemplateSettings,
} from '../../model/template-settings.ts';
import type { StoredObject } from '../kind.ts';
import { patchSettings, settingsOf } from './template-settings.ts';
import { unlessEmpty } from '../../../providers/given.ts';

/** As of {@link MachineKind.writeSettings}. */
export function writeSettings(
  object: StoredObject,
  wanted: TemplateSettings | undefined,
  rollout: RolloutMark | undefined,
): { readonly metadata: object; readonly spec: object } {
  const machine = object as MachineObject;
  const { metadata, spec } = machine;
  const told = { [ROLLOUT_ANNOTATION]: rollout ?? null };
  if (wanted === undefined) return { metadata: { annotations: told }, spec: {} };
  const last = settingsOfText(metadata.annotations?.[SETTINGS_ANNOTATION]);
  const merged = withoutRefused(machine, mergeSettings(settingsOf(spec), last, wanted));
  const annotations = { ...told, [SETTINGS_ANNOTATION]: textOfSettings(wanted) ?? null };
  return { metadata: { annotations }, spec: patchSettings(spec, merged) };
}

/** One that nothing controls any more is of no rollout. */
export function rolloutMarkOf({ annotations, ownerReferences }: MachineObject['metadata']): RolloutMark | undefined {
  return controllerOf(ownerReferences) && readRolloutMark(annotations?.[ROLLOUT_ANNOTATION]);
}

/** The conditions of its readinessGates that are not True; undefined: all are. */
export function openGatesOf({ spec, status }: MachineObject): readonly string[] | undefined {
  const { readinessGates = [] } = spec ?? {};
  const open = readinessGates
    .map(({ conditionType }) => conditionType)
    .filter((gate) => !status?.conditions?.some(({ type, status: is }) => type === gate && is === 'True'));
  return unlessEmpty(open);
}

/** While a deletion is under way its policy may only be lowered: what would be refused stays as it is. */
function withoutRefused({ metadata, spec }: MachineObject, settings: TemplateSettings): TemplateSettings {
  const isGoing = metadata.deletionTimestamp !== undefined || spec.delete === true;
  const { deletionPolicy: wanted = 'graceful', ...fields } = settings.fields as {
    readonly deletionPolicy?: DeletionPolicy;
  };
  const { deletionPolicy: is = 'graceful' } = spec;
  const isLowered = DELETION_POLICIES.indexOf(wanted) >= DELETION_POLICIES.indexOf(is);
  return !isGoing || isLowered ? settings : { ...settings, fields: { ...fields, deletionPolicy: is } };
}
