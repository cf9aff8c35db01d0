import type { Definition } from '../../client/admin.ts';
import type { Json } from '../../client/client.ts';
import type { NamedField } from '../model/fields.ts';
import type { ControlIds } from '../parts/form-field.tsx';

export interface ControlProps {
  readonly ids: ControlIds;
  readonly project: string;
  readonly all: readonly Definition[];
  readonly field: NamedField;
  readonly value: Json | undefined;
  readonly onChange: (value: Json) => void;
}
