import type { Role } from '../k8s/dialects/kind.ts';
import { APIS } from '../k8s/dialects/registry.ts';
import { CLASSES, CLOUD_CODES } from '../k8s/model/reasons/cloud-codes.ts';
import { CONDITIONS } from '../k8s/model/reasons/conditions.ts';
import { FINDINGS } from '../k8s/model/reasons/findings.ts';
import type { ReasonRow } from '../k8s/model/reasons/reason-row.ts';
import { REASONS } from '../k8s/model/reasons/reasons.ts';
import { WAITS } from '../k8s/model/reasons/waits.ts';

/** The first line of the page. */
export const REASONS_PAGE_BANNER = '<!-- Generated from k8s/model/reasons by `npm run generate`: do not edit. -->';

type Rows = readonly (readonly [reason: string, row: ReasonRow])[];

/** Every reason that a machine, a set or a class may give, as Markdown. */
export function reasonsPage(): string {
  return [
    REASONS_PAGE_BANNER,
    '# Reasons',
    '',
    'Why a machine waits, what its conditions say, why it failed, what events tell. A reason stands in `status.waiting.reason`, in',
    'the conditions, in `status.errorReason`, in events and in `millwright tree`; `millwright machine explain NAME` and the page of',
    'the workflow in the Temporal UI tell what it means and what to do. What is no error there is as it should be, or passes.',
    '',
    '## What a machine waits for',
    '',
    '| Reason | It waits for | What to do | An error | Conditions |',
    '|---|---|---|---|---|',
    ...rowsOf(WAITS).map(([reason, row]) =>
      line(`\`${reason}\``, row.waitsFor, row.toDo ?? 'as its class says', isError(row), row.conditions?.join(', ')),
    ),
    '',
    '## Failures of a cloud',
    '',
    'Where the cloud gave a code of its own, that is the reason (`InsufficientInstanceCapacity`, say). What it means is told by the',
    'class of the failure, in `status.waiting.retryClass`; [when it is tried again](../concepts/machine-life.md#errors-have-a-class)',
    'comes of that, too.',
    '',
    '| Class | It waits for | What to do |',
    '|---|---|---|',
    ...Object.entries(CLASSES).map(([name, { waitsFor, toDo }]) => line(`\`${name}\``, waitsFor, toDo)),
    '',
    'Where it gave none, the reason is one of these. They are errors, and MachineCreation and LoadBalancersAttached tell them, too.',
    '',
    '| Reason | Class | It waits for |',
    '|---|---|---|',
    ...rowsOf(CLOUD_CODES).map(([reason, row]) => line(`\`${reason}\``, row.retryClass, row.waitsFor)),
    '',
    '## Conditions',
    '',
    '| Condition | Of | Says | Reasons |',
    '|---|---|---|---|',
    ...Object.entries(CONDITIONS).map(([type, { of, says }]) =>
      line(`\`${type}\``, [...new Set(of.flatMap(kindsOf))].join(', '), says, reasonsIn(type).join(', ')),
    ),
    '',
    '## What conditions, failures, events and `millwright tree` tell besides',
    '',
    '| Reason | Tells | What to do | An error | Stands in |',
    '|---|---|---|---|---|',
    ...rowsOf(FINDINGS).map(([reason, row]) =>
      line(`\`${reason}\``, row.means, row.toDo, isError(row), placesOf(row).join(', ')),
    ),
    '',
  ].join('\n');
}

function rowsOf(rows: Readonly<Record<string, ReasonRow>>): Rows {
  return Object.entries(rows);
}

function kindsOf(role: Role): string[] {
  return APIS.kinds(role).map(({ resource }) => resource.kind);
}

/** The reasons of a condition; the codes of a cloud's failures together. */
function reasonsIn(type: string): string[] {
  const isOf = ([, { conditions = [] }]: Rows[number]): boolean => conditions.some((condition) => condition === type);
  const listed = rowsOf(REASONS).filter((row) => isOf(row) && !Object.hasOwn(CLOUD_CODES, row[0]));
  const isTellingCodes = rowsOf(CLOUD_CODES).some(isOf);
  return [...listed.map(([reason]) => `\`${reason}\``), ...(isTellingCodes ? ["the cloud's code"] : [])];
}

function placesOf({ conditions = [], isFailure, isEvent, inTree }: ReasonRow): string[] {
  return [
    ...conditions,
    ...(isFailure === true ? ['`status.errorReason`'] : []),
    ...(isEvent === true ? ['events'] : []),
    ...(inTree === true ? ['`millwright tree`'] : []),
  ];
}

function isError({ isTrouble }: ReasonRow): string {
  return isTrouble ? 'yes' : 'no';
}

function line(...cells: readonly (string | undefined)[]): string {
  return `| ${cells.map((text = '') => text.replaceAll('|', '\\|')).join(' | ')} |`;
}
