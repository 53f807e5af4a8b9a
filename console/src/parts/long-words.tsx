/** Adds line breaks to long words, so that none makes a table wider than the page (specification 19.13). */
import { Fragment, type ReactNode } from 'react'

/** Breaks after `_` and `.`; longer parts break anywhere. */
export function breakLongWords(text: string): ReactNode {
  return text.split(/(?<=\w_|[A-Za-z]\.)(?=\w)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part.split(/(\S{21,})/).map((piece, index) =>
        index % 2 === 0 ? (
          piece
        ) : (
          <span key={index} className="long-word">
            {piece}
          </span>
        ),
      )}
    </Fragment>
  ))
}
