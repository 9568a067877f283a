import {
  EXTERNAL_REMEDIATION_ANNOTATION,
  readHealthClaim,
  REMEDIATED_BY_ANNOTATION,
} from '../../model/health-claim.ts';
import { REMEDIATION_FIELD_MANAGER } from '../../model/field-managers.ts';
import { writesSpecField, type ManagedFields, type ObjectMeta } from '../../object-meta.ts';
import type { HealthWishes } from '../../model/machine-health-check.ts';
import {
  OTHER_REMEDIATE_ANNOTATION,
  OTHER_SKIP_REMEDIATION_ANNOTATION,
  REMEDIATE_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
} from './labels.ts';
import { given } from '../../../providers/given.ts';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** What the metadata of a Machine say of its remediation. */
export function healthWishesOf({ annotations = {}, managedFields = [] }: ObjectMeta): HealthWishes {
  const claim = annotations[REMEDIATED_BY_ANNOTATION];
  return given({
    remediate: annotations[REMEDIATE_ANNOTATION] ?? annotations[OTHER_REMEDIATE_ANNOTATION],
    skip: skipOf(annotations),
    claim: claim === undefined ? undefined : readHealthClaim(claim),
    external: EXTERNAL_REMEDIATION_ANNOTATION in annotations || undefined,
    hasDrainOfCheck: isDrainOfCheck(managedFields) || undefined,
  });
}

/** Nobody else has set its time-out since, to the same value or another. */
function isDrainOfCheck(managedFields: readonly ManagedFields[]): boolean {
  const writers = managedFields.filter((fields) => writesSpecField(fields, 'drain', 'timeout'));
  return writers.length > 0 && writers.every(({ manager }) => manager === REMEDIATION_FIELD_MANAGER);
}

/** What is no time is a veto without an end: who wrote it wanted the machine left alone. */
function skipOf(annotations: Readonly<Record<string, string>>): string | undefined {
  if (OTHER_SKIP_REMEDIATION_ANNOTATION in annotations) return '';
  const until = annotations[SKIP_REMEDIATION_ANNOTATION];
  if (until === undefined) return undefined;
  return RFC_3339.test(until) && !Number.isNaN(Date.parse(until)) ? until : '';
}
