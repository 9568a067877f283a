/** An object in a check's namespace, of which others are made for another program. */
export interface RemediationTemplate {
  readonly apiVersion: string;
  /** See {@link isTemplateKind}. */
  readonly kind: string;
  readonly name: string;
}

const ENDING = 'Template';
const TEMPLATE_KIND = new RegExp(`^[A-Z][A-Za-z0-9]*${ENDING}$`);

/** Whether objects can be made of this kind: its name ends with "Template", as in the Machine API. */
export function isTemplateKind(kind: string): boolean {
  return TEMPLATE_KIND.test(kind);
}

/** The kind of what is made of a template: that of the template without its last word. */
export function requestKindOf({ kind }: Pick<RemediationTemplate, 'kind'>): string {
  return kind.slice(0, -ENDING.length);
}
