played"
n2
boot of n2(*
tracepointP€ĞÛÃôXĞßÛÃô`Š	ethn2¸`Â*
n2n0
boot of n0"€ĞÛÃô"€’³óô(¡